import { bounds, type Limits } from '#core/limits.ts';
import { baseWaitMs } from '#core/retry-policy.ts';
import { Failure, UsageError } from '../cli/exit.ts';
import { type Observed, quantileOf, takenAt } from './observed.ts';
import { serversFor } from './queueing.ts';
import { quotas } from './quotas.ts';
import { seeded } from './seeded.ts';
import { simulate } from './simulate.ts';
import { serviceTimes, type Workload } from './workload.ts';

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

export interface Effort {
  readonly seed: number;
  readonly jobs: number;
  readonly onProgress?: (jobs: number) => void;
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

/** Below this a rounded setting of the scaled system says nothing about the whole. */
const scaledConcurrencyMin = 5;

const attemptsOf = ({ failShare }: Workload, { attemptsMax }: Limits): readonly number[] =>
  Array.from({ length: attemptsMax }, (_, i) => failShare ** i);

/** Expected attempts a job, and its expected seconds in the system when it never queues. */
const startsOf = (workload: Workload, limits: Limits): number =>
  attemptsOf(workload, limits).reduce((sum, share) => sum + share, 0);
const attemptSeconds = ({ serviceSeconds, overheadSeconds }: Workload): number => serviceSeconds + overheadSeconds;
const stayOf = (workload: Workload, limits: Limits): number =>
  workload.apiSeconds +
  startsOf(workload, limits) * attemptSeconds(workload) +
  attemptsOf(workload, limits)
    .slice(1)
    .reduce((sum, share, i) => sum + (share * baseWaitMs(i + 1, limits) * (1 + limits.waitJitterRatio / 2)) / 1000, 0);

/** Long enough for waits between attempts, and for many jobs to come and go one after another. */
const secondsMin = 60;
const staysMin = 20;

/**
 * By what the system is divided so that `jobs` arrivals make a stretch of time that means something. Settings are
 * multiplied with it again. That errs to the safe side: at the same utilisation a larger system waits and refuses less,
 * since the peaks of many small ones do not fall together (Erlang C and B fall as servers and load grow alike). Only what
 * is refused from memory, or for want of room in the shards that were tried, does not follow that law; it is little.
 */
const scaleOf = (workload: Workload, limits: Limits, jobs: number): number => {
  const seconds = Math.max(secondsMin, staysMin * stayOf(workload, limits));
  return Math.max(1, Math.ceil((workload.arrivalPerSecond * seconds) / jobs));
};

const scaledDown = (concurrency: number, scale: number, jobs: number): number => {
  if (scale === 1 || concurrency >= scaledConcurrencyMin * scale) return Math.round(concurrency / scale);
  const needed = Math.ceil((jobs * scale * scaledConcurrencyMin) / concurrency);
  throw new UsageError(
    `A concurrency of ${concurrency} cannot be simulated at 1/${scale} of its size. Give --jobs ${needed} if that is ` +
      `allowed, a larger --concurrency, or a lower --arrival.`,
  );
};

/** Upwards to two digits that count, so that nobody reads more into it than there is. */
const roundUp = (n: number): number => {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, n))) - 1);
  return Math.ceil(n / step) * step;
};

/** A shard item is one partition's business; half of that is left for peaks, as the load moves from shard to shard. */
const shardWritesMax = quotas.partitionWrites.limit / 2;

/** An instance that has met "full" refuses for a second from memory, which no queueing formula knows of. */
const raise = 1.1;
const raisesMax = 10;

/** Looks for the least concurrency, then for the least capacity, and runs the system once more as it was then set. */
export const recommend = (whole: Workload, limits: Limits, goals: Goals, effort: Effort): Recommended => {
  const scale = scaleOf(whole, limits, effort.jobs);
  const workload = { ...whole, arrivalPerSecond: whole.arrivalPerSecond / scale };
  let [runs, before] = [0, 0];
  const run = (concurrency: number, capacity: number, jobs: number, takenMax?: number): Observed => {
    const warmUpJobs = Math.ceil(jobs / 5);
    const told = before;
    runs += 1;
    before += jobs + warmUpJobs;
    return simulate(
      workload,
      { ...limits, capacity, consumerConcurrencyMax: concurrency },
      {
        seed: effort.seed,
        jobs,
        warmUpJobs,
        ...(takenMax && { takenMax }),
        onProgress: (arrived) => effort.onProgress?.(told + arrived),
      },
    );
  };

  // Far more slots than a system that keeps up ever takes: a run in which they fill up is given up.
  const expected = workload.arrivalPerSecond * (stayOf(workload, limits) + goals.waitP99Seconds);
  const roomy = Math.ceil(4 * expected) + 1_000;
  const opened = new Map<number, Observed>();
  const open = (concurrency: number): Observed => {
    const observed = opened.get(concurrency) ?? run(concurrency, roomy + bounds.slotsPerShard, effort.jobs, roomy);
    opened.set(concurrency, observed);
    return observed;
  };
  const suffices = (concurrency: number): boolean => {
    const { overflowed, waits } = open(concurrency);
    return !overflowed && quantileOf(waits, 0.99) <= goals.waitP99Seconds * 1000;
  };

  const full = fullBatchRate(workload, limits, effort.seed);
  const needed = workload.arrivalPerSecond * startsOf(workload, limits);
  const concurrency =
    goals.concurrency === undefined
      ? leastConcurrency(workload, limits, goals, Math.ceil(((1 + goals.spare) * needed) / full), suffices)
      : scaledDown(goals.concurrency, scale, effort.jobs);

  // On paper also beyond what one stack can hold: the quotas are to be held against all of the load.
  const bounded = (capacity: number) => run(concurrency, Math.max(1, Math.round(capacity / scale)), effort.jobs);
  const sized = (): { capacity: number; observed: Observed } => {
    const free = open(concurrency);
    if (free.overflowed) {
      throw new UsageError(
        `A concurrency of ${goals.concurrency} does not keep up with this load. Leave --concurrency away, or give ` +
          `--capacity to see how many are refused.`,
      );
    }
    const forPeaks = scale * (takenAt(free, goals.refusedShare) + 1);
    const forStalls = whole.arrivalPerSecond * goals.stallSeconds;
    const shardWrites = (scale * (free.takes + free.takesRefused + free.frees)) / free.seconds;
    let capacity = roundUp(Math.max(forPeaks + forStalls, (shardWrites / shardWritesMax) * bounds.slotsPerShard));
    for (let i = 0; ; i += 1) {
      const observed = bounded(capacity);
      if (observed.refused <= goals.refusedShare * observed.arrivals || i === raisesMax) return { capacity, observed };
      capacity = roundUp(capacity * raise);
    }
  };
  const { capacity, observed } =
    goals.capacity === undefined ? sized() : { capacity: goals.capacity, observed: bounded(goals.capacity) };
  const wholeConcurrency = goals.concurrency ?? Math.max(2, concurrency * scale);
  const timesTheLoad = (wholeConcurrency * full) / (needed * scale);
  return { capacity, concurrency: wholeConcurrency, timesTheLoad, scale, observed, runs };
};

const doublingsMax = 8;

const batchesDrawn = 2_000;

/** Attempts a second of one delivery after another, each with a full batch that lasts as long as its slowest job. */
const fullBatchRate = (workload: Workload, limits: Limits, seed: number): number => {
  const draw = serviceTimes(workload, seeded(seed));
  const slowest = () => Math.max(...Array.from({ length: limits.batchSize }, draw));
  let seconds = 0;
  for (let i = 0; i < batchesDrawn; i += 1) {
    seconds += workload.overheadSeconds + Math.min(slowest(), limits.jobTimeoutSeconds);
  }
  return (batchesDrawn * limits.batchSize) / seconds;
};

/**
 * At least what leaves something to spare, and else the least that keeps the wait short: at most what M/M/c needs with
 * batches of one. That suffices unless services vary more than exponentially; then it is doubled until it does.
 */
const leastConcurrency = (
  workload: Workload,
  limits: Limits,
  goals: Goals,
  least: number,
  suffices: (concurrency: number) => boolean,
): number => {
  if (suffices(least)) return least;
  const seconds = attemptSeconds(workload);
  let low = least;
  let high = Math.max(
    low + 1,
    serversFor(workload.arrivalPerSecond * startsOf(workload, limits) * seconds, seconds, goals.waitP99Seconds, 0.01),
  );
  for (let i = 0; !suffices(high); i += 1) {
    if (i === doublingsMax) {
      throw new Failure(
        `No concurrency up to ${high} keeps the wait at ${goals.waitP99Seconds} s.`,
        'Allow a longer --wait-p99.',
      );
    }
    [low, high] = [high, 2 * high];
  }
  while (high - low > Math.max(1, Math.floor(high / 50))) {
    const middle = Math.floor((low + high) / 2);
    if (suffices(middle)) high = middle;
    else low = middle;
  }
  return high;
};
