import type { Limits } from './limits.ts';

/** Base backoff before attempt `attempt + 1`, in milliseconds: base × 2^(attempt - 1), capped. */
export const baseWaitMs = (attempt: number, limits: Limits): number =>
  Math.min(limits.waitCapSeconds, limits.waitBaseSeconds * 2 ** (Math.max(1, attempt) - 1)) * 1000;

/**
 * The wait with its jitter, which only adds. `jitter` is a random number in [0, 1). A wait that was asked for makes it
 * longer, never shorter, and not even the cap cuts it: who comes back before he was told to is only refused again. What
 * bounds it is the wait budget.
 */
export const waitMs = (attempt: number, limits: Limits, jitter: number, askedSeconds = 0): number =>
  Math.max(
    Math.round(baseWaitMs(attempt, limits) * (1 + limits.waitJitterRatio * jitter)),
    Math.ceil(askedSeconds * 1000),
  );

/**
 * A wait as SQS takes it: whole seconds, rounded up, between 0 and `maxSeconds`.
 * Source: "Amazon SQS visibility timeout" (0 to 43,200 s) and "Amazon SQS delay queues" (0 to 900 s).
 */
export const wholeSeconds = (ms: number, maxSeconds: number): number =>
  Math.min(maxSeconds, Math.max(0, Math.ceil(ms / 1000)));
