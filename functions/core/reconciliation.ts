import {
  deadlinePassed,
  type InFlightJob,
  isFinal,
  isGone,
  isInFlight,
  type Job,
  type StrayReason,
  takeoverAt,
} from './job.ts';
import type { Limits } from './limits.ts';
import type { ParsedMessage } from './message.ts';
import { type Slot, tokenMadeAt } from './slot.ts';

/** What a slot token turned out to be when its record was read. */
export type TokenVerdict = 'alive' | 'ended' | 'orphan' | 'young';

/**
 * A token is alive only if the record carries exactly it and is in flight. One that no record carries may belong to a
 * request that is still on its way, so it is freed only once older than any request that could still bring it.
 */
export const judgeToken = (slot: Slot, job: Job | undefined, now: number, limits: Limits): TokenVerdict => {
  if (job !== undefined && job.slot.token === slot.token && job.slot.shard === slot.shard) {
    return isInFlight(job) ? 'alive' : 'ended';
  }
  // The token keeps whole seconds, so its age may be overstated by almost one.
  return now - tokenMadeAt(slot.token) > (limits.orphanTokenSeconds + 1) * 1000 ? 'orphan' : 'young';
};

export interface QueueView {
  /** Messages waiting in the main queue, about; undefined when SQS could not be asked. */
  readonly visible: number | undefined;
  readonly paused: boolean;
  /** When the consumer was last seen paused, epoch ms; 0: never. What waited until then is not missing. */
  readonly pausedAt?: number;
}

/** What the reconciler does with a job in flight; `stale` may accompany any of it. */
export type Repair = 'none' | 'recover' | 'expire' | 'bury-never-started' | 'resend-missing' | 'resend-unsent';

export const repairOf = (job: InFlightJob, now: number, queue: QueueView, limits: Limits): Repair => {
  if (job.state === 'running') {
    return now >= takeoverAt(job, limits) ? 'recover' : 'none';
  }
  if (deadlinePassed(job, now)) return 'expire';
  if (job.returns >= limits.returnsMax) return 'bury-never-started';
  if (job.unsent) return 'resend-unsent';
  return isMissing(job, now, queue, limits) ? 'resend-missing' : 'none';
};

/**
 * Time decides that a message is missing, since no API can tell: beyond the moment when it was due, the visibility that a
 * lost receive would have hidden it for, and a patience that doubles with each resend. A backlog may explain the delay
 * and postpones the verdict, within a bound; a paused consumer explains it whole.
 */
export const isMissing = (job: InFlightJob, now: number, queue: QueueView, limits: Limits): boolean => {
  if (queue.paused || job.state === 'running') return false;
  const doubling = 2 ** Math.min(job.resends, 20);
  const patience = Math.min(limits.resendPatienceCapSeconds, limits.resendPatienceSeconds * doubling);
  const postponed = queue.visible === 0 ? 0 : limits.resendBacklogPostponeSeconds * doubling;
  return now > Math.max(dueAt(job), queue.pausedAt ?? 0) + (limits.visibilitySeconds + patience + postponed) * 1000;
};

/** When the job's message should be at a consumer, at the earliest. */
export const dueAt = (job: InFlightJob): number =>
  job.state === 'running' ? job.leaseUntil : Math.max(job.sentAt, job.nextAttemptAt ?? 0);

/**
 * No sign of progress for too long beyond the moment when something should have happened. A resend is no progress. A
 * sign to people; it decides nothing.
 */
export const isStale = (job: InFlightJob, now: number, limits: Limits): boolean => {
  const graceSeconds = job.state === 'running' ? limits.leaseGraceSeconds : 0;
  return now > readyAt(job) + (graceSeconds + limits.staleAfterSeconds) * 1000;
};

/** Since when something should have happened to a job: its next start, or the report of its worker. */
export const readyAt = (job: InFlightJob): number =>
  Math.max(job.state === 'running' ? job.leaseUntil : (job.nextAttemptAt ?? 0), lastMoveAt(job));

const noProgress: ReadonlySet<string> = new Set(['resend', 'stale', 'cancel-request']);

const lastMoveAt = (job: InFlightJob): number =>
  job.history.findLast((entry) => !noProgress.has(entry.event))?.at ?? job.submittedAt;

/**
 * How late the upkeep is, in seconds: by how much a run came after its time, and a period more for each further run that
 * the tokens need which it had no time or no bound left to look at. `lastRunAt` 0: there was none before.
 */
export const reconcileLagSeconds = (
  run: { readonly startedAt: number; readonly lastRunAt: number; readonly tokensLeft: number },
  limits: Limits,
): number => {
  const sinceLastMs = run.lastRunAt > 0 ? run.startedAt - run.lastRunAt : 0;
  const late = Math.max(0, Math.round(sinceLastMs / 1000) - limits.reconcilerPeriodSeconds);
  return late + Math.ceil(run.tokensLeft / limits.reconcilerRecordsMax) * limits.reconcilerPeriodSeconds;
};

/** What the sweep does with one message of the dead-letter queue. */
export type SweepVerdict =
  | { readonly act: 'stray'; readonly reason: StrayReason }
  | { readonly act: 'leave' }
  | { readonly act: 'delete' }
  | { readonly act: 'send-again'; readonly job: InFlightJob };

/**
 * Version, id and fingerprint are judged first. Then a dead job's message stays, a final or superseded one goes, and one
 * whose job waits for it in vain (it came here without a start, say by throttling) is replaced by a fresh message.
 */
export const judgeDeadLetter = (
  parsed: ParsedMessage,
  job: Job | undefined,
  now: number,
  limits: Limits,
): SweepVerdict => {
  if (!parsed.ok) return { act: 'stray', reason: parsed.reason };
  const { message } = parsed;
  if (job === undefined || isGone(job, now)) return { act: 'stray', reason: 'unknown-job' };
  if (job.fingerprint !== message.fingerprint || message.tenure > job.tenure) return { act: 'stray', reason: 'forged' };
  if (isFinal(job) || message.tenure < job.tenure) return { act: 'delete' };
  if (!isInFlight(job)) return { act: 'leave' };
  if (job.state === 'running') return { act: 'leave' };
  return now >= overdueAt(job, limits) ? { act: 'send-again', job } : { act: 'leave' };
};

/**
 * A message in the dead-letter queue proves that one copy is lost to the consumer. If another copy is on its way it comes
 * within a put-off; after that the job is overdue.
 */
const overdueAt = (job: InFlightJob, limits: Limits): number =>
  dueAt(job) + (limits.putOffMinSeconds + limits.leaseGraceSeconds) * 1000;
