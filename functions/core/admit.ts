import type { JobOptions, QueuedJob } from './job.ts';
import type { Limits } from './limits.ts';

/** What a submission brings; `now` in epoch milliseconds. */
export type Admission = Pick<
  QueuedJob,
  'id' | 'type' | 'key' | 'scope' | 'fingerprint' | 'payload' | 'options' | 'slot'
> & { readonly now: number };

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

/** Epoch milliseconds; every tenure has the deadline anew. */
export const deadlineFrom = (now: number, options: JobOptions): number | undefined =>
  options.deadlineSeconds === undefined ? undefined : now + options.deadlineSeconds * 1000;
