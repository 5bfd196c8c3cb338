import { PurgeQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import * as fc from 'fast-check';
import { ApiClient } from '#test/support/system/client.ts';
import { connectionTo } from '#test/support/workers/place.ts';
import { until } from '../../../localstack/demo/stage.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { asCurl, exchange, type WireRequest } from './exchange.ts';
import { type Facts, plant } from './facts.ts';
import { grammarRequest } from './grammar.ts';
import { faultsIn } from './invariants.ts';
import { faultsInTable } from './table.ts';
import { trickRequest } from './tricks.ts';

export interface Failure {
  readonly at: number;
  readonly faults: readonly string[];
  /** Shrunk as far as time allowed, for a shell. */
  readonly curl: string;
}

export interface Campaign {
  readonly requests: number;
  readonly failures: readonly Failure[];
  readonly table: readonly string[];
  /** How often each status came. */
  readonly statuses: ReadonlyMap<number, number>;
}

export interface CampaignOptions {
  readonly requests: number;
  readonly seed: number;
  readonly atOnce?: number;
  /** Called now and then with the number of requests that are done. */
  readonly progress?: (done: number, failures: number) => void;
  /** For each failure, as soon as it is shrunk. */
  readonly found?: (failure: Failure) => void;
  readonly failuresMax?: number;
}

const anyRequest = (facts: Facts): fc.Arbitrary<WireRequest> =>
  fc
    .oneof({ weight: 3, arbitrary: grammarRequest(facts) }, { weight: 2, arbitrary: trickRequest(facts) })
    .filter((wire) => !isCostly(wire));

/** The local stage's. Beyond 32 per shard a capacity costs a write a shard, and one of 100,000 the emulator half a minute. */
const capacityMax = 1_000;
const isCostly = ({ path, body = '' }: WireRequest): boolean => {
  if (!path.includes('capacity')) return false;
  try {
    return JSON.parse(body.toString()).capacity > capacityMax;
  } catch {
    return false;
  }
};

/** Each request has a seed of its own, so that it is the same one whatever went before it. */
const seedOf = (seed: number, at: number): number => (Math.imul(seed, 0x9e3779b1) ^ Math.imul(at + 1, 0x85ebca6b)) | 0;

const judge = async (outputs: LocalOutputs, facts: Facts, wire: WireRequest) => {
  const exchanged = await exchange(outputs.apiUrl, facts.attacker, wire);
  return { status: exchanged.answer?.status ?? 0, faults: faultsIn(wire, exchanged, facts) };
};

const shrinkMs = 15_000;

/** Looks for a smaller request that has a fault too, and writes that one down. */
const shrunk = async (
  outputs: LocalOutputs,
  facts: Facts,
  seed: number,
  at: number,
  wire: WireRequest,
): Promise<Failure> => {
  let smallest = { wire, faults: (await judge(outputs, facts, wire)).faults };
  await fc.check(
    fc.asyncProperty(anyRequest(facts), async (candidate) => {
      const { faults } = await judge(outputs, facts, candidate);
      if (faults.length === 0) return;
      smallest = { wire: candidate, faults };
      throw new Error('a fault');
    }),
    { seed: seedOf(seed, at), numRuns: 1, interruptAfterTimeLimit: shrinkMs },
  );
  return { at, faults: smallest.faults, curl: asCurl(outputs.apiUrl, smallest.wire) };
};

/** Good bodies of operators close, pause and shrink the system; it is set right again every so often. */
const restoreEvery = 25;
const restore = async (operator: ApiClient): Promise<void> => {
  await operator.call('POST', '/operator/intake', { state: 'open' });
  await operator.setCapacity(100);
  await until(
    'the consumer runs again',
    20,
    () => operator.setConsumer('running'),
    ({ body }) => body.consumer === 'running',
  );
};

/** Waits until nothing is in flight; a slot that no record carries is freed after half a minute on the local stage. */
const settle = async (operator: ApiClient, seconds: number): Promise<readonly string[]> => {
  const look = async () => {
    const { inFlight, backlog } = (await operator.status()).body;
    return { inFlight, backlog };
  };
  const isIdle = ({ inFlight, backlog }: Awaited<ReturnType<typeof look>>) =>
    inFlight.total + backlog.visible + backlog.notVisible === 0;
  return until('nothing is in flight', seconds, look, isIdle).then(
    () => [],
    (error: Error) => [error.message],
  );
};

/** Cancels what a generated delay or deadline would keep in flight for longer than anybody wants to wait. */
const cancelWaiting = async (operator: ApiClient): Promise<void> => {
  for (const state of ['queued', 'retrying']) {
    const { jobs = [] } = (await operator.call('GET', `/operator/jobs?state=${state}&limit=100`)).body;
    for (const { id } of jobs) await operator.call('POST', `/operator/jobs/${id}/cancel`);
  }
};

/** What is left are delayed messages of jobs that were cancelled: for a quarter of an hour, if a caller said so. */
const purge = async (outputs: LocalOutputs): Promise<void> => {
  const client = new SQSClient(connectionTo(outputs));
  await client.send(new PurgeQueueCommand({ QueueUrl: outputs.queueUrl }));
  client.destroy();
};

/** Sends hostile requests to a deployed stack, judges each answer, and the table at the end. */
export const campaign = async (outputs: LocalOutputs, options: CampaignOptions): Promise<Campaign> => {
  const { requests, seed, atOnce = 4, failuresMax = 10 } = options;
  const operator = new ApiClient(outputs.apiUrl);
  const facts = await plant(outputs);
  const source = anyRequest(facts);
  const failures: Failure[] = [];
  const statuses = new Map<number, number>();
  let next = 0;
  let done = 0;
  let restored = Promise.resolve();
  const work = async (): Promise<void> => {
    for (let at = next++; at < requests && failures.length < failuresMax; at = next++) {
      if (at % restoreEvery === 0) restored = restored.then(() => restore(operator));
      await restored;
      const [wire] = fc.sample(source, { seed: seedOf(seed, at), numRuns: 1 });
      if (wire === undefined) throw new Error('no request was generated');
      const { status, faults } = await judge(outputs, facts, wire);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      if (faults.length > 0) {
        const failure = await shrunk(outputs, facts, seed, at, wire);
        const kept =
          failure.faults.length > 0
            ? failure
            : { at, faults: [...faults, 'not again'], curl: asCurl(outputs.apiUrl, wire) };
        failures.push(kept);
        options.found?.(kept);
      }
      done += 1;
      options.progress?.(done, failures.length);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await restore(operator);
  await cancelWaiting(operator);
  const left = await settle(operator, 120);
  await purge(outputs);
  const table = left.length > 0 ? left : await faultsInTable(outputs);
  return { requests: done, failures, table, statuses };
};
