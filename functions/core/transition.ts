import type {
  DeadJob,
  DeadReason,
  EndedJob,
  HistoryEntry,
  Job,
  JobOptions,
  QueuedJob,
  Reason,
  RetryingJob,
  StoredPayload,
} from './job.ts';
import { isInFlight } from './job.ts';
import { bounds, type Limits } from './limits.ts';
import type { Outcome } from './outcome.ts';
import { waitMs } from './retry-policy.ts';
import type { Slot } from './slot.ts';

/** What can happen to a job that exists. `now` is the clock of whoever decides; `jitter` is in [0, 1). */
export type JobEvent =
  | { readonly type: 'start'; readonly now: number; readonly owner: string; readonly leaseUntil: number }
  | {
      readonly type: 'finish';
      readonly now: number;
      readonly owner: string;
      readonly outcome: Outcome;
      readonly jitter: number;
    }
  | { readonly type: 'recover'; readonly now: number; readonly jitter: number }
  | { readonly type: 'cancel'; readonly now: number; readonly actor: string }
  | { readonly type: 'expire'; readonly now: number }
  | { readonly type: 'bury'; readonly now: number; readonly reason: Reason }
  | {
      readonly type: 'redrive';
      readonly now: number;
      readonly slot: Slot;
      readonly actor: string;
      readonly force: boolean;
    }
  | { readonly type: 'discard'; readonly now: number; readonly actor: string }
  | { readonly type: 'resend'; readonly now: number; readonly cause: 'missing' | 'unsent' | 'returned' }
  | { readonly type: 'mark-stale'; readonly now: number }
  | { readonly type: 'clear-stale'; readonly now: number }
  | { readonly type: 'mark-unsent'; readonly now: number }
  | { readonly type: 'mark-sent'; readonly now: number };

export type Refusal =
  | 'final'
  | 'dead'
  | 'not-dead'
  | 'running'
  | 'not-running'
  | 'not-owner'
  | 'lease-not-ended'
  | 'too-early'
  | 'deadline-passed'
  | 'deadline-ahead'
  | 'no-attempts-left'
  | 'cancel-requested'
  | 'redrive-limit'
  | 'nothing-to-do';

export type Transition = { readonly ok: true; readonly job: Job } | { readonly ok: false; readonly refusal: Refusal };

const refuse = (refusal: Refusal): Transition => ({ ok: false, refusal });
const become = (job: Job): Transition => ({ ok: true, job });

export interface Admission {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  readonly scope: string;
  readonly fingerprint: string;
  readonly payload: StoredPayload;
  readonly options: JobOptions;
  readonly slot: Slot;
  readonly now: number;
}

/** The first state of every job: none → queued. */
export const admit = (a: Admission, limits: Limits): QueuedJob => ({
  state: 'queued',
  id: a.id,
  type: a.type,
  key: a.key,
  scope: a.scope,
  fingerprint: a.fingerprint,
  payload: a.payload,
  options: a.options,
  submittedAt: a.now,
  updatedAt: a.now,
  rev: 1,
  tenure: 0,
  attempt: 0,
  attemptsMax: limits.attemptsMax,
  starts: 0,
  losses: 0,
  waitedMs: 0,
  waitBudgetMs: (a.options.waitBudgetSeconds ?? limits.waitBudgetDefaultSeconds) * 1000,
  deadlineAt: deadlineFrom(a.now, a.options),
  nextAttemptAt: a.options.delaySeconds ? a.now + a.options.delaySeconds * 1000 : undefined,
  redrives: 0,
  slot: a.slot,
  sentAt: a.now,
  resends: 0,
  returns: 0,
  history: [{ at: a.now, event: 'accept' }],
});

const deadlineFrom = (now: number, options: JobOptions): number | undefined =>
  options.deadlineSeconds === undefined ? undefined : now + options.deadlineSeconds * 1000;

/**
 * The one maker of states: what `event` makes of `job`, or why it may not. Pure; the store turns the difference into
 * one guarded write, so a decision that was overtaken is refused there and made again here on the newer record.
 */
export const transition = (job: Job, event: JobEvent, limits: Limits): Transition => {
  switch (event.type) {
    case 'start':
      return start(job, event);
    case 'finish':
      return finish(job, event, limits);
    case 'recover':
      return recover(job, event, limits);
    case 'cancel':
      return cancel(job, event, limits);
    case 'expire':
      if (job.state !== 'queued' && job.state !== 'retrying') return refuse(stateRefusal(job));
      if (job.deadlineAt === undefined || event.now < job.deadlineAt) return refuse('deadline-ahead');
      return become(end(job, 'expired', event.now, { event: 'expire' }, limits));
    case 'bury':
      if (job.state !== 'queued' && job.state !== 'retrying') return refuse(stateRefusal(job));
      return become(die(job, event.reason, event.now));
    case 'redrive':
      return redrive(job, event, limits);
    case 'discard':
      if (job.state !== 'dead') return refuse('not-dead');
      return become({
        ...end(job, 'discarded', event.now, { event: 'discard', detail: { actor: event.actor } }, limits),
        reason: job.reason,
      });
    case 'resend':
      if (job.state !== 'queued' && job.state !== 'retrying') return refuse(stateRefusal(job));
      return become({
        ...touch(job, event.now, { event: 'resend', detail: { cause: event.cause } }),
        sentAt: event.now,
        unsent: undefined,
        resends: job.resends + (event.cause === 'missing' ? 1 : 0),
        returns: job.returns + (event.cause === 'returned' ? 1 : 0),
      });
    case 'mark-stale':
      if (!isInFlight(job)) return refuse(stateRefusal(job));
      return job.stale
        ? refuse('nothing-to-do')
        : become({ ...touch(job, event.now, { event: 'stale' }), stale: true });
    case 'clear-stale':
      if (!isInFlight(job)) return refuse(stateRefusal(job));
      return job.stale ? become({ ...touch(job, event.now), stale: undefined }) : refuse('nothing-to-do');
    case 'mark-unsent':
      if (job.state !== 'queued' && job.state !== 'retrying') return refuse(stateRefusal(job));
      return job.unsent ? refuse('nothing-to-do') : become({ ...touch(job, event.now), unsent: true });
    case 'mark-sent':
      if (!isInFlight(job)) return refuse(stateRefusal(job));
      return job.unsent
        ? become({ ...touch(job, event.now), unsent: undefined, sentAt: event.now })
        : refuse('nothing-to-do');
  }
};

const stateRefusal = (job: Job): Refusal => {
  if (job.state === 'dead') return 'dead';
  if (job.state === 'running') return 'running';
  return isInFlight(job) ? 'not-running' : 'final';
};

type EventOf<T extends JobEvent['type']> = Extract<JobEvent, { type: T }>;

const start = (job: Job, event: EventOf<'start'>): Transition => {
  if (job.state !== 'queued' && job.state !== 'retrying') return refuse(stateRefusal(job));
  if (job.deadlineAt !== undefined && job.deadlineAt <= event.now) return refuse('deadline-passed');
  if (job.nextAttemptAt !== undefined && job.nextAttemptAt > event.now) return refuse('too-early');
  if (job.attempt >= job.attemptsMax) return refuse('no-attempts-left');
  const attempt = job.attempt + 1;
  return become({
    ...withoutTime(touch(job, event.now, { event: 'start', attempt })),
    state: 'running',
    attempt,
    starts: job.starts + 1,
    owner: event.owner,
    leaseUntil: event.leaseUntil,
    stale: undefined,
    unsent: undefined,
    returns: 0,
  });
};

const finish = (job: Job, event: EventOf<'finish'>, limits: Limits): Transition => {
  if (job.state !== 'running') return refuse(isInFlight(job) ? 'not-running' : stateRefusal(job));
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
const recover = (job: Job, event: EventOf<'recover'>, limits: Limits): Transition => {
  if (job.state !== 'running') return refuse(isInFlight(job) ? 'not-running' : stateRefusal(job));
  if (event.now < job.leaseUntil + limits.leaseGraceSeconds * 1000) return refuse('lease-not-ended');
  return become(again({ ...job, losses: job.losses + 1 }, event.now, job.leaseUntil, 'lost', event.jitter, limits));
};

/** What follows an attempt that may be repeated: cancelled if that was asked for, dead, expired, or retrying. */
const again = (
  job: Job & { state: 'running' },
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
  if (job.deadlineAt !== undefined && nextAttemptAt >= job.deadlineAt) {
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

const cancel = (job: Job, event: EventOf<'cancel'>, limits: Limits): Transition => {
  const detail = { actor: event.actor };
  if (job.state === 'running') {
    if (job.cancelRequested) return refuse('nothing-to-do');
    return become({ ...touch(job, event.now, { event: 'cancel-request', detail }), cancelRequested: true });
  }
  if (!isInFlight(job)) return refuse(stateRefusal(job));
  return become(end(job, 'cancelled', event.now, { event: 'cancel', detail }, limits));
};

const redrive = (job: Job, event: EventOf<'redrive'>, limits: Limits): Transition => {
  if (job.state !== 'dead') return refuse('not-dead');
  if (job.redrives >= (event.force ? limits.redrivesForcedMax : limits.redrivesMax)) return refuse('redrive-limit');
  const { reason, diedAt: _, ...rest } = job;
  const detail = {
    actor: event.actor,
    tenure: job.tenure + 1,
    after: reason.code,
    ...(event.force && { force: true }),
  };
  return become({
    ...touch(rest, event.now, { event: 'redrive', detail }),
    state: 'queued',
    tenure: job.tenure + 1,
    attempt: 0,
    losses: 0,
    waitedMs: 0,
    attemptsMax: limits.attemptsMax,
    deadlineAt: deadlineFrom(event.now, job.options),
    redrives: job.redrives + 1,
    slot: event.slot,
    progress: undefined,
    sentAt: event.now,
    resends: 0,
    returns: 0,
    cancelRequested: undefined,
    stale: undefined,
    unsent: undefined,
  });
};

/** A job that was killed by its own error keeps everything; only its lease and its marks go. */
const die = (job: Job & { state: 'queued' | 'running' | 'retrying' }, reason: Reason, now: number): DeadJob => ({
  ...withoutTime(withoutLease(touch(job, now, { event: 'dead', attempt: job.attempt, detail: { code: reason.code } }))),
  state: 'dead',
  reason: {
    code: reason.code satisfies DeadReason,
    message: reason.message.slice(0, bounds.reasonMessageChars).toWellFormed(),
  },
  diedAt: now,
  cancelRequested: undefined,
  stale: undefined,
  unsent: undefined,
});

const end = (
  job: Job,
  state: EndedJob['state'],
  now: number,
  entry: Omit<HistoryEntry, 'at'>,
  limits: Limits,
): EndedJob => {
  const { reason: _, diedAt: __, ...rest } = job as Job & Partial<Pick<DeadJob, 'reason' | 'diedAt'>>;
  return {
    ...withoutTime(withoutLease(touch(rest as Job, now, entry))),
    state,
    expiresAt: now + limits.finalRetentionSeconds * 1000,
    cancelRequested: undefined,
    stale: undefined,
    unsent: undefined,
  };
};

/**
 * Every transition counts a revision, and the history is bounded: the first entry always stays, so that a reader knows
 * where the story began, and the newest follow.
 */
const touch = <J extends Omit<Job, 'state'>>(job: J, now: number, entry?: Omit<HistoryEntry, 'at'>): J => ({
  ...job,
  rev: job.rev + 1,
  updatedAt: now,
  history: entry === undefined ? job.history : appended(job.history, { at: now, ...entry }),
});

const appended = (history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] => {
  const next = [...history, entry];
  if (next.length <= bounds.historyEntriesMax) return next;
  return [...next.slice(0, 1), ...next.slice(1 - bounds.historyEntriesMax)];
};

const withoutLease = <J extends object>(job: J): Omit<J, 'owner' | 'leaseUntil'> => {
  const { owner: _, leaseUntil: __, ...rest } = job as J & { owner?: string; leaseUntil?: number };
  return rest as Omit<J, 'owner' | 'leaseUntil'>;
};

const withoutTime = <J extends object>(job: J): Omit<J, 'nextAttemptAt'> => {
  const { nextAttemptAt: _, ...rest } = job as J & { nextAttemptAt?: number };
  return rest as Omit<J, 'nextAttemptAt'>;
};
