import type { DeadJob, DeadReason, EndedJob, HistoryEntry, InFlightJob, Job, Reason } from './job.ts';
import { bounds, type Limits } from './limits.ts';

/** Marks speak of work in flight; none outlives it. */
export const unmarked = { cancelRequested: undefined, stale: undefined, unsent: undefined } as const;

/** A job that was killed by its own error keeps everything; only its lease and its marks go. */
export const die = (job: InFlightJob, reason: Reason, now: number): DeadJob => ({
  ...withoutTime(withoutLease(touch(job, now, { event: 'dead', attempt: job.attempt, detail: { code: reason.code } }))),
  state: 'dead',
  reason: {
    code: reason.code satisfies DeadReason,
    message: reason.message.slice(0, bounds.reasonMessageChars).toWellFormed(),
  },
  diedAt: now,
  ...unmarked,
});

/** A job that ends without a result: cancelled, expired or discarded. */
export const end = (
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
    ...unmarked,
  };
};

/**
 * Every transition counts a revision, and the history is bounded: the first entry always stays, so that a reader knows
 * where the story began, and the newest follow.
 */
export const touch = <J extends Omit<Job, 'state'>>(job: J, now: number, entry?: Omit<HistoryEntry, 'at'>): J => ({
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

export const withoutLease = <J extends object>(job: J): Omit<J, 'owner' | 'leaseUntil'> => {
  const { owner: _, leaseUntil: __, ...rest } = job as J & { owner?: string; leaseUntil?: number };
  return rest as Omit<J, 'owner' | 'leaseUntil'>;
};

export const withoutTime = <J extends object>(job: J): Omit<J, 'nextAttemptAt'> => {
  const { nextAttemptAt: _, ...rest } = job as J & { nextAttemptAt?: number };
  return rest as Omit<J, 'nextAttemptAt'>;
};
