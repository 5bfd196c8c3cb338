import { type Limits, localLimits, productionLimits } from '#core/limits.ts';
import { checkSubmission, type Submission } from '#core/submission.ts';
import { SeededRandom } from '../memory/random.ts';
import { type Behaviour, externalType, scriptedJobs, scriptedType } from './handlers.ts';
import { hash32 } from './timeline.ts';
import { drawWeather, type PortName, type Weather } from './weather.ts';

/** One thing that is going to happen, at a time from the start. Each has a name, so that it can be left out. */
interface Planned {
  readonly name: string;
  readonly atMs: number;
  readonly what: Act;
}
export type Act =
  /** A client who wants this request done and repeats it after unclear or temporary answers, `tries` times at most. */
  | { readonly do: 'submit'; readonly submission: Submission; readonly tries: number }
  | { readonly do: 'submit-many'; readonly submissions: readonly Submission[] }
  | { readonly do: 'cancel'; readonly id: string }
  | { readonly do: 'capacity'; readonly capacity: number }
  | { readonly do: 'redrive'; readonly limit: number; readonly force: boolean; readonly ids?: readonly string[] }
  | { readonly do: 'discard'; readonly limit: number; readonly ids?: readonly string[] }
  | { readonly do: 'intake'; readonly state: 'open' | 'closed'; readonly mode: 'drain' | 'cancel' | undefined }
  | { readonly do: 'switch'; readonly wanted: 'running' | 'paused' }
  | { readonly do: 'reconcile' }
  | { readonly do: 'outage'; readonly port: PortName; readonly forMs: number }
  /** For a while every finish meets other transactions. */
  | { readonly do: 'contention'; readonly forMs: number }
  | { readonly do: 'deliver-again' | 'hide-longer' | 'to-dead-letters' | 'back-to-main'; readonly pick: number }
  | { readonly do: 'stray'; readonly body: string; readonly dead: boolean };

export interface Plan {
  readonly seed: number;
  readonly limits: Limits;
  readonly weather: Weather;
  readonly batchSize: number;
  readonly acts: readonly Planned[];
  /** One of the few plans in which operators get in each other's way. */
  readonly rush: boolean;
  /** After this the faults end, and the system has to come to rest. */
  readonly activeMs: number;
}

const second = 1_000;
const minute = 60 * second;

/** Few slots, so that they are contended; the large ones have two or three shards, which shrink to one. */
const capacities = [1, 2, 2, 3, 4, 6, 33, 40, 65];

export const planOf = (seed: number): Plan => {
  const random = new SeededRandom(hash32(`plan/${seed}`));
  const short = random.next() < 0.6;
  const limits: Limits = { ...(short ? localLimits : productionLimits), capacity: random.pick(capacities) };
  const activeMs = (short ? random.pick([1, 2, 4, 9]) : random.pick([3, 10, 20])) * minute;
  const weather = drawWeather(
    random,
    short
      ? { skewMaxMs: 2 * second, slowMaxMs: 4 * second, lateMaxMs: 5 * second, freezeMaxMs: 2 * minute }
      : { skewMaxMs: 4 * second, slowMaxMs: 6 * second, lateMaxMs: 4 * minute, freezeMaxMs: 25 * minute },
  );
  if (random.next() < 0.1) return rushPlan(random, seed, limits, weather);
  const submissions = drawSubmissions(random, limits);
  const acts = [
    ...drawClients(random, submissions, activeMs),
    ...drawOperators(random, submissions, activeMs),
    ...drawTroubles(random, submissions, activeMs),
  ];
  return { seed, limits, weather, batchSize: random.pick([1, 3, 10]), activeMs, rush: false, acts: named(acts) };
};

type Unnamed = Omit<Planned, 'name'>;

const named = (acts: readonly Unnamed[]): readonly Planned[] =>
  acts.map((act, i) => ({ ...act, name: `${act.what.do}-${i}` }));

/** Several operators and the reconciler deal out a full registry of two or three shards at the same moment. */
const rushPlan = (random: SeededRandom, seed: number, limits: Limits, weather: Weather): Plan => {
  const acts: Unnamed[] = Array.from({ length: 8 + random.below(6) }, (_, i) => {
    const payload = { script: ['ok'], slowMs: 1 };
    const submission = submissionOf(`key-${i}`, scriptedType, payload, { delaySeconds: 20 + random.below(40) });
    const atMs = random.next() < 0.7 ? random.next() * second : 4 * second + random.next() * 4 * second;
    return { atMs, what: { do: 'submit', submission, tries: 3 } };
  });
  for (let n = 2 + random.below(4); n > 0; n -= 1) {
    const what: Act =
      random.next() < 0.75
        ? { do: 'capacity', capacity: random.pick([1, 2, 3, 4, 6, 33]) }
        : { do: 'intake', state: random.pick(['open', 'closed'] as const), mode: undefined };
    acts.push({ atMs: 4 * second + random.next() * second, what });
  }
  for (let n = random.below(3); n > 0; n -= 1) {
    acts.push({ atMs: 4 * second + random.next() * second, what: { do: 'reconcile' } });
  }
  const several = { ...limits, capacity: random.pick([33, 40, 65]) };
  // Slow calls, so that the dealers meet in the middle of their work.
  const slow = { ...weather, latencyMs: 300 };
  return { seed, limits: several, weather: slow, batchSize: 10, activeMs: minute, rush: true, acts: named(acts) };
};

const scripts: readonly (readonly Behaviour[])[] = [
  ['ok'],
  ['ok'],
  ['ok'],
  ['checkpoint-ok'],
  ['slow-ok'],
  ['retryable', 'ok'],
  ['slow-retryable', 'retryable', 'slow-ok'],
  ['retryable'],
  ['permanent', 'ok'],
  ['permanent'],
  ['throw-undefined', 'ok'],
  ['hang', 'ok'],
  ['hang'],
  ['kill-worker', 'ok'],
  ['kill-worker'],
  ['kill-worker', 'kill-worker', 'kill-worker', 'ok'],
  ['result-bigint', 'ok'],
  ['result-cycle'],
  ['result-huge', 'ok'],
  ['condition-permanent', 'ok'],
  ['condition-retryable', 'ok'],
  ['same-item-twice', 'retryable', 'ok'],
];

const drawSubmissions = (random: SeededRandom, limits: Limits): readonly Submission[][] => {
  const jobs = 1 + random.below(random.pick([3, 8, 14]));
  return Array.from({ length: jobs }, (_, i) => {
    const options = {
      ...(random.next() < 0.2 && { delaySeconds: random.below(20) }),
      ...(random.next() < 0.15 && { deadlineSeconds: 1 + random.below(90) }),
      ...(random.next() < 0.15 && { waitBudgetSeconds: random.below(4) }),
    };
    const payload = {
      script: random.pick(scripts),
      slowMs: random.pick([100, 0.9 * limits.jobTimeoutSeconds * 1000, 1.5 * limits.jobTimeoutSeconds * 1000]),
      ...(random.next() < 0.3 && { pad: 'x'.repeat(600) }),
    };
    const type = random.next() < 0.15 ? externalType : scriptedType;
    const variants = random.next() < 0.15 ? 2 : 1;
    return Array.from({ length: variants }, (_, variant) =>
      submissionOf(`key-${i}`, type, variant === 0 ? payload : { ...payload, slowMs: 7 }, options),
    );
  });
};

const known = scriptedJobs({
  began: () => undefined,
  ended: () => undefined,
  kill: () => undefined,
  wait: async () => undefined,
});

const submissionOf = (key: string, type: string, payload: object, options: object = {}): Submission => {
  const checked = checkSubmission(
    {
      scope: '123456789012/AROACLIENT',
      contentType: 'application/json',
      idempotencyKey: key,
      body: JSON.stringify({ type, payload, options }),
    },
    (name) => known.get(name)?.check,
  );
  if (!checked.ok) throw new TypeError(`the plan made a request that is refused: ${checked.problem.detail}`);
  return checked.value;
};

const drawClients = (random: SeededRandom, submissions: readonly Submission[][], activeMs: number): Unnamed[] => {
  // All at once, or spread over the first half.
  const within = random.pick([second, 20 * second, activeMs / 2]);
  if (random.next() < 0.15) {
    return [{ atMs: random.next() * within, what: { do: 'submit-many', submissions: submissions.flat() } }];
  }
  return submissions.flatMap((variants) => {
    const clients = random.pick([1, 1, 1, 2, 3]);
    return Array.from(
      { length: Math.max(clients, variants.length) },
      (_, i): Unnamed => ({
        atMs: random.next() * within,
        what: {
          do: 'submit',
          submission: variants[i % variants.length] as Submission,
          tries: random.pick([1, 3, 8]),
        },
      }),
    );
  });
};

const drawOperators = (random: SeededRandom, submissions: readonly Submission[][], activeMs: number): Unnamed[] => {
  const acts: Act[] = [];
  const idOf = () => (random.pick(submissions)[0] as Submission).id;
  for (let n = random.pick([0, 0, 1, 2, 4]); n > 0; n -= 1) {
    acts.push({ do: 'capacity', capacity: random.pick(capacities) });
  }
  for (let n = random.pick([0, 1, 2, 4]); n > 0; n -= 1) {
    acts.push({
      do: 'redrive',
      limit: random.pick([1, 50]),
      force: random.next() < 0.3,
      ...(random.next() < 0.4 && { ids: [idOf(), idOf()] }),
    });
  }
  for (let n = random.pick([0, 0, 0, 1]); n > 0; n -= 1) acts.push({ do: 'discard', limit: 1 });
  for (let n = random.pick([0, 0, 0, 0, 1, 2]); n > 0; n -= 1) {
    const mode = random.pick([undefined, 'drain', 'cancel'] as const);
    acts.push({ do: 'intake', state: 'closed', mode }, { do: 'intake', state: 'open', mode: undefined });
  }
  for (let n = random.pick([0, 0, 0, 1, 3]); n > 0; n -= 1) acts.push({ do: 'cancel', id: idOf() });
  for (let n = random.pick([0, 0, 0, 1, 2]); n > 0; n -= 1) {
    acts.push({ do: 'switch', wanted: 'paused' }, { do: 'switch', wanted: 'running' });
  }
  for (let n = random.pick([0, 0, 1, 2]); n > 0; n -= 1) acts.push({ do: 'reconcile' });
  // Spread out, or several at once, each on an instance of its own.
  const [from, within] = random.next() < 0.3 ? [(random.next() * activeMs) / 2, second] : [0, activeMs];
  return acts.map((what) => ({ atMs: from + random.next() * within, what }));
};

const drawTroubles = (random: SeededRandom, submissions: readonly Submission[][], activeMs: number): Unnamed[] => {
  const acts: Act[] = [];
  for (let n = random.pick([0, 0, 2, 8]); n > 0; n -= 1) {
    acts.push({
      do: random.pick(['deliver-again', 'hide-longer', 'to-dead-letters', 'back-to-main'] as const),
      pick: random.below(1_000),
    });
  }
  for (let n = random.pick([0, 0, 0, 1]); n > 0; n -= 1) {
    acts.push({
      do: 'outage',
      port: random.pick(['store', 'slots', 'queue'] as const),
      forMs: random.pick([3, 30, 200]) * second,
    });
  }
  for (let n = random.pick([0, 0, 0, 0, 1]); n > 0; n -= 1) {
    acts.push({ do: 'contention', forMs: random.pick([1, 10, 100]) * second });
  }
  for (let n = random.pick([0, 0, 0, 1, 3]); n > 0; n -= 1) {
    const { id, fingerprint } = random.pick(submissions)[0] as Submission;
    const body = random.pick([
      'not JSON',
      '{"v":2}',
      JSON.stringify({ v: 1, id: 'f'.repeat(32), fingerprint, tenure: 0 }),
      JSON.stringify({ v: 1, id, fingerprint: 'f'.repeat(64), tenure: 0 }),
      JSON.stringify({ v: 1, id, fingerprint, tenure: 7 }),
      JSON.stringify({ v: 1, id, fingerprint, tenure: 0 }),
    ]);
    acts.push({ do: 'stray', body, dead: random.next() < 0.3 });
  }
  return acts.map((what) => ({ atMs: random.next() * activeMs, what }));
};
