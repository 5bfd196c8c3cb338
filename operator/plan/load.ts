import type { Limits } from '#core/limits.ts';
import { baseWaitMs } from '#core/retry-policy.ts';
import { seeded } from './seeded.ts';
import { serviceTimes, type Workload } from './workload.ts';

/** What can be said of a load before it is simulated, by expectation alone. */
export interface Load {
  /** Attempts a job, of `attemptSeconds` each. */
  readonly startsPerJob: number;
  readonly attemptSeconds: number;
  /** In the system, for a job that never has to queue. */
  readonly staySeconds: number;
}

export const loadOf = (workload: Workload, limits: Limits): Load => {
  const shares = Array.from({ length: limits.attemptsMax }, (_, i) => workload.failShare ** i);
  const startsPerJob = shares.reduce((sum, share) => sum + share, 0);
  const attemptSeconds = workload.serviceSeconds + workload.overheadSeconds;
  const waitSeconds = (attempt: number) => (baseWaitMs(attempt, limits) / 1000) * (1 + limits.waitJitterRatio / 2);
  const waits = shares.reduce((sum, share, i) => (i === 0 ? sum : sum + share * waitSeconds(i)), 0);
  return {
    startsPerJob,
    attemptSeconds,
    staySeconds: workload.apiSeconds + startsPerJob * attemptSeconds + waits,
  };
};

/** Long enough for waits between attempts, and for many jobs to come and go one after another. */
const secondsMin = 60;
const staysMin = 20;

/**
 * By what the system is divided so that `jobs` arrivals make a stretch of time that means something. Settings are
 * multiplied with it again. That errs to the safe side: at the same utilisation a larger system waits and refuses less,
 * since the peaks of many small ones do not fall together (Erlang C and B fall as servers and load grow alike). Only what
 * is refused from memory, or for want of room in the shards that were tried, does not follow that law; it is little.
 */
export const scaleOf = ({ arrivalPerSecond }: Workload, { staySeconds }: Load, jobs: number): number =>
  Math.max(1, Math.ceil((arrivalPerSecond * Math.max(secondsMin, staysMin * staySeconds)) / jobs));

const batchesDrawn = 2_000;

/** Attempts a second of one delivery after another, each with a full batch that lasts as long as its slowest job. */
export const fullBatchRate = (workload: Workload, limits: Limits, seed: number): number => {
  const draw = serviceTimes(workload, seeded(seed));
  const slowest = () => Math.max(...Array.from({ length: limits.batchSize }, draw));
  let seconds = 0;
  for (let i = 0; i < batchesDrawn; i += 1) {
    seconds += workload.overheadSeconds + Math.min(slowest(), limits.jobTimeoutSeconds);
  }
  return (batchesDrawn * limits.batchSize) / seconds;
};
