import { deadlinePassed, isFinal, isGone, type Job, type StrayReason, takeoverAt } from './job.ts';
import type { Limits } from './limits.ts';
import type { Message } from './message.ts';
import { transition } from './transition.ts';

/** What a consumer does with a message, given the record that it names. */
export type Meeting =
  | { readonly act: 'start'; readonly job: Job; readonly suspect: boolean }
  /** The job ended, or goes on under a newer tenure; its message is done. */
  | { readonly act: 'acknowledge'; readonly job: Job; readonly why: 'final' | 'older-tenure' }
  | { readonly act: 'to-dead-letter'; readonly job: Job & { state: 'dead' } }
  /** Not now: a copy of the message comes back at `until` (epoch ms), and this one is acknowledged. */
  | {
      readonly act: 'put-off';
      readonly job: Job;
      readonly until: number;
      readonly why: 'running' | 'too-early' | 'to-be-buried';
    }
  /** The record moves first (a lost start is recovered, a deadline has passed); then the message meets it again. */
  | { readonly act: 'move-first'; readonly job: Job; readonly event: 'recover' | 'expire' }
  | { readonly act: 'bury-stray'; readonly reason: StrayReason };

/**
 * The one place that decides what a message can meet.
 *
 * A lease that ended is recovered first. If its wait is over by then, the same write starts the next attempt
 * (`start` with the recovered job); with no attempts left the reconciler buries the job, and the message waits for that.
 */
export const meet = (job: Job | undefined, message: Message, now: number, jitter: number, limits: Limits): Meeting => {
  if (job === undefined || isGone(job, now)) return { act: 'bury-stray', reason: 'unknown-job' };
  if (job.fingerprint !== message.fingerprint || message.tenure > job.tenure)
    return { act: 'bury-stray', reason: 'forged' };
  if (isFinal(job)) return { act: 'acknowledge', job, why: 'final' };
  if (message.tenure < job.tenure) return { act: 'acknowledge', job, why: 'older-tenure' };
  if (job.state === 'dead') return { act: 'to-dead-letter', job };
  if (job.state === 'running') return meetRunning(job, now, jitter, limits);
  if (deadlinePassed(job, now)) return { act: 'move-first', job, event: 'expire' };
  if (job.nextAttemptAt !== undefined && job.nextAttemptAt > now) {
    return { act: 'put-off', job, until: job.nextAttemptAt, why: 'too-early' };
  }
  return { act: 'start', job, suspect: job.losses > 0 };
};

const meetRunning = (job: Job & { state: 'running' }, now: number, jitter: number, limits: Limits): Meeting => {
  const until = takeoverAt(job, limits);
  if (now < until) return { act: 'put-off', job, until, why: 'running' };
  const recovered = transition(job, { type: 'recover', now, jitter }, limits);
  if (!recovered.ok) return { act: 'put-off', job, until: now, why: 'running' };
  switch (recovered.job.state) {
    case 'dead':
      return { act: 'put-off', job, until: now + limits.reconcilerPeriodSeconds * 1000, why: 'to-be-buried' };
    case 'retrying':
      return mayStart(recovered.job, now)
        ? { act: 'start', job: recovered.job, suspect: true }
        : { act: 'move-first', job, event: 'recover' };
    default:
      return { act: 'move-first', job, event: 'recover' };
  }
};

/** Its wait is over, and its deadline is ahead. */
const mayStart = (job: Job & { state: 'retrying' }, now: number): boolean =>
  job.nextAttemptAt <= now && !deadlinePassed(job, now);
