import { bounds, type Limits } from '#core/limits.ts';
import { Failure, UsageError } from '../cli/exit.ts';
import { fullBatchRate, type Load, loadOf, scaleOf } from './load.ts';
import { type Observed, quantileOf, takenAt } from './observed.ts';
import { serversFor } from './queueing.ts';
import { quotas } from './quotas.ts';
import { type Effort, Trials } from './trials.ts';
import type { Workload } from './workload.ts';

/** What the settings shall achieve, and those that are given instead of looked for. */
export interface Goals {
  /** Of the time from acceptance to the first start. */
  readonly waitP99Seconds: number;
  readonly refusedShare: number;
  /** The consumer may stand still this long before anybody is refused. */
  readonly stallSeconds: number;
  /** What full batches can do beyond the load, as a part of it: by this a backlog is worked off. */
  readonly spare: number;
  readonly capacity?: number | undefined;
  readonly concurrency?: number | undefined;
}

export interface Recommended {
  readonly capacity: number;
  readonly concurrency: number;
  /** What full batches can do, over what the load needs; at 1 or below the consumer does not keep up. */
  readonly timesTheLoad: number;
  /** What was simulated is the system divided by this. */
  readonly scale: number;
  /** The system at these settings, divided by `scale`. */
  readonly observed: Observed;
  readonly runs: number;
}

/** Room for what a system that keeps up may hold in its peaks. */
const roomFactor = 4;
const roomMin = 1_000;

/** Looks for the least concurrency, then for the least capacity, and runs the system once more as it was then set. */
export const recommend = (whole: Workload, limits: Limits, goals: Goals, effort: Effort): Recommended => {
  const load = loadOf(whole, limits);
  const scale = scaleOf(whole, load, effort.jobs);
  const workload = { ...whole, arrivalPerSecond: whole.arrivalPerSecond / scale };
  const held = workload.arrivalPerSecond * (load.staySeconds + goals.waitP99Seconds);
  const slots = goals.capacity === undefined ? undefined : scaledDown('capacity', goals.capacity, scale, effort.jobs);
  const trials = new Trials(workload, limits, effort, roomFactor * held + roomMin);
  const needed = workload.arrivalPerSecond * load.startsPerJob;
  const full = fullBatchRate(whole, limits, effort.seed);

  const concurrency =
    goals.concurrency === undefined
      ? leastConcurrency(trials, goals, needed, load, Math.ceil(((1 + goals.spare) * needed) / full))
      : scaledDown('concurrency', goals.concurrency, scale, effort.jobs);
  const wholeConcurrency = goals.concurrency ?? Math.max(2, concurrency * scale);
  const timesTheLoad = (wholeConcurrency * full) / (needed * scale);
  if (goals.capacity === undefined && (timesTheLoad <= 1 || trials.free(concurrency).overflowed)) {
    throw new UsageError(
      `A concurrency of ${wholeConcurrency} does not keep up with this load. Leave --concurrency away, or give ` +
        `--capacity to see how many are refused.`,
    );
  }
  // On paper also beyond what one stack can hold: the quotas are to be held against all of the load.
  const run = (capacity: number) => trials.bounded(concurrency, Math.max(1, Math.round(capacity / scale)));
  const sized =
    goals.capacity === undefined || slots === undefined
      ? enough(run, firstCapacity(trials.free(concurrency), whole, goals, scale), goals)
      : { capacity: goals.capacity, observed: trials.bounded(concurrency, slots) };
  return { ...sized, concurrency: wholeConcurrency, timesTheLoad, scale, runs: trials.runs };
};

/** Below this a rounded setting of the scaled system says nothing about the whole. */
const scaledMin = 5;

const scaledDown = (what: 'capacity' | 'concurrency', given: number, scale: number, jobs: number): number => {
  if (scale === 1 || given >= scaledMin * scale) return Math.floor(given / scale);
  const needed = Math.ceil((jobs * scale * scaledMin) / given);
  throw new UsageError(
    `A ${what} of ${given} cannot be simulated at 1/${scale} of its size. Give --jobs ${needed} if that is ` +
      `allowed, a larger --${what}, or a lower --arrival.`,
  );
};

const doublingsMax = 8;
/** The search ends this close to the least, as a part of it. */
const precision = 1 / 50;

/**
 * At least what leaves something to spare, and else the least that keeps the wait short: at most what M/M/c needs with
 * batches of one. That suffices unless services vary more than exponentially; then it is doubled until it does.
 */
const leastConcurrency = (trials: Trials, goals: Goals, needed: number, load: Load, least: number): number => {
  const suffices = (concurrency: number): boolean => {
    const { overflowed, waits } = trials.free(concurrency);
    return !overflowed && quantileOf(waits, 0.99) <= goals.waitP99Seconds * 1000;
  };
  if (suffices(least)) return least;
  const { attemptSeconds } = load;
  let low = least;
  let high = Math.max(low + 1, serversFor(needed * attemptSeconds, attemptSeconds, goals.waitP99Seconds, 0.01));
  for (let i = 0; !suffices(high); i += 1) {
    if (i === doublingsMax) {
      const advice = 'Allow a longer --wait-p99.';
      throw new Failure(`No concurrency up to ${high} keeps the wait at ${goals.waitP99Seconds} s.`, advice);
    }
    [low, high] = [high, 2 * high];
  }
  while (high - low > Math.max(1, Math.floor(high * precision))) {
    const middle = Math.floor((low + high) / 2);
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
};

/** A shard item is one partition's business; half of that is left for peaks, as the load moves from shard to shard. */
const shardWritesMax = quotas.partitionWrites.limit / 2;

/** For peaks and stalls, and shards enough for their writes. */
const firstCapacity = (free: Observed, { arrivalPerSecond }: Workload, goals: Goals, scale: number): number => {
  const forPeaks = scale * (takenAt(free, goals.refusedShare) + 1);
  const forStalls = arrivalPerSecond * goals.stallSeconds;
  const shardWrites = (scale * (free.takes + free.takesRefused + free.frees)) / free.seconds;
  return roundUp(Math.max(forPeaks + forStalls, (shardWrites / shardWritesMax) * bounds.slotsPerShard));
};

const raise = 1.1;
const raisesMax = 10;

/** An instance that has met "full" refuses for a second from memory, which the first guess does not know of. */
const enough = (run: (capacity: number) => Observed, first: number, goals: Goals) => {
  let capacity = first;
  for (let i = 0; ; i += 1) {
    const observed = run(capacity);
    if (observed.refused <= goals.refusedShare * observed.arrivals || i === raisesMax) return { capacity, observed };
    capacity = roundUp(capacity * raise);
  }
};

/** Upwards to two digits that count, so that nobody reads more into it than there is. */
const roundUp = (n: number): number => {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, n))) - 1);
  return Math.ceil(n / step) * step;
};
