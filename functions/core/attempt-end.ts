import { deadlinePassed, type HistoryEntry, type Job, type RetryingJob, type RunningJob, takeoverAt } from './job.ts';
import { become, type EventOf, type Refusal, refuse, stateRefusal, type Transition } from './job-event.ts';
import { bounds, type Limits } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { die, end, touch, withoutLease } from './record-step.ts';
import { waitMs } from './retry-policy.ts';

const notRunning = (job: Job): Refusal =>
  job.state === 'queued' || job.state === 'retrying' ? 'not-running' : stateRefusal(job);

/** An attempt ends with its outcome, on condition of its owner. */
export const finish = (job: Job, event: EventOf<'finish'>, limits: Limits): Transition => {
  if (job.state !== 'running') return refuse(notRunning(job));
  if (job.owner !== event.owner) return refuse('not-owner');
  const { outcome, now } = event;
  const { attempt } = job;
  switch (outcome.kind) {
    case 'done':
      // The last checkpoint: a cancel request that came before the effect wins, unless the effect is already out there.
      if (job.cancelRequested && !outcome.external) return refuse('cancel-requested');
      return become({
        ...withoutLease(touch(job, now, { event: 'succeed', attempt })),
        state: 'succeeded',
        result: outcome.result,
        cancelRequested: undefined,
        stale: undefined,
        expiresAt: now + limits.finalRetentionSeconds * 1000,
      });
    case 'cancelled':
      return become(end(job, 'cancelled', now, { event: 'cancel', attempt }, limits));
    case 'fail':
      return become(die(job, { code: outcome.code, message: outcome.message }, now));
    case 'retry':
      return become(again(job, now, now, outcome, event.jitter, limits));
  }
};

/**
 * A start whose lease ended (the caller has added the grace) is lost. Its wait runs from the end of the lease, so that
 * it does not matter who finds it, or when.
 */
export const recover = (job: Job, event: EventOf<'recover'>, limits: Limits): Transition => {
  if (job.state !== 'running') return refuse(notRunning(job));
  if (event.now < takeoverAt(job, limits)) return refuse('lease-not-ended');
  return become(again({ ...job, losses: job.losses + 1 }, event.now, job.leaseUntil, 'lost', event.jitter, limits));
};

/** What follows an attempt that may be repeated: cancelled if that was asked for, dead, expired, or retrying. */
const again = (
  job: RunningJob,
  now: number,
  waitFrom: number,
  why: 'lost' | Extract<Outcome, { kind: 'retry' }>,
  jitter: number,
  limits: Limits,
): Job => {
  const lost = why === 'lost';
  const message = lost ? 'the worker was lost before it could report' : why.message;
  const code = lost ? 'worker-lost' : why.code;
  if (job.cancelRequested) return end(job, 'cancelled', now, { event: 'cancel', attempt: job.attempt }, limits);
  const burns = lost || why.burnsAttempt;
  if (burns && job.attempt >= job.attemptsMax) {
    return die(job, { code: lost ? 'worker-lost' : 'attempts-exhausted', message }, now);
  }
  const wait = waitMs(job.attempt, limits, jitter, lost ? undefined : why.afterSeconds);
  if (job.waitedMs + wait > job.waitBudgetMs) return die(job, { code: 'wait-budget-exhausted', message }, now);
  const nextAttemptAt = waitFrom + wait;
  if (deadlinePassed(job, nextAttemptAt)) {
    return end(job, 'expired', now, { event: 'expire', attempt: job.attempt, detail: { code } }, limits);
  }
  const entry: HistoryEntry = {
    at: now,
    event: lost ? 'recover' : 'retry',
    attempt: job.attempt,
    detail: { waitSeconds: wait / 1000, code, message: message.slice(0, bounds.historyMessageChars).toWellFormed() },
  };
  const retrying: RetryingJob = {
    ...withoutLease(touch(job, now, entry)),
    state: 'retrying',
    attempt: burns ? job.attempt : job.attempt - 1,
    nextAttemptAt,
    waitedMs: job.waitedMs + wait,
    resends: 0,
    stale: undefined,
  };
  return retrying;
};
