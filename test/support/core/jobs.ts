import type { DeadJob, EndedJob, FinalJob, Job, QueuedJob, RetryingJob, RunningJob, SucceededJob } from '#core/job.ts';
import { type Limits, productionLimits } from '#core/limits.ts';
import type { Message } from '#core/message.ts';
import type { Slot } from '#core/slot.ts';

/** The moment at which every job of these tests was submitted; whole seconds, as a slot token keeps them. */
export const t0 = Date.UTC(2026, 0, 5, 12);

export const limits: Limits = productionLimits;

export const owner = 'owner-of-this-start';

const id = '0123456789abcdef0123456789abcdef';

/** A token made at `at`; `nonce` tells two of them apart. */
export const slotAt = (at: number, nonce = '00000000000a', shard = 3): Slot => ({
  shard,
  token: `${id}${nonce}${(at / 1000).toString(16).padStart(8, '0')}`,
});

/**
 * A job in its first tenure, written out here and not made by `admit`, so that the tests of the state machine do not
 * start from what they test.
 */
const common = {
  id,
  type: 'ledger.credit',
  key: 'order-1',
  scope: '123456789012/AROAEXAMPLE',
  fingerprint: 'f'.repeat(64),
  payload: { inline: '{"account":"a","amount":1}' },
  options: {},
  submittedAt: t0,
  updatedAt: t0,
  rev: 7,
  tenure: 0,
  attempt: 1,
  attemptsMax: 3,
  starts: 1,
  losses: 0,
  waitedMs: 0,
  waitBudgetMs: 900_000,
  redrives: 0,
  slot: slotAt(t0),
  sentAt: t0,
  resends: 0,
  returns: 0,
  history: [{ at: t0, event: 'accept' }],
} as const;

export const queued = (over: Partial<QueuedJob> = {}): QueuedJob => ({
  ...common,
  attempt: 0,
  starts: 0,
  ...over,
  state: 'queued',
});

/** Started at t0 with a lease of a minute. */
export const running = (over: Partial<RunningJob> = {}): RunningJob => ({
  ...common,
  owner,
  leaseUntil: t0 + 60_000,
  ...over,
  state: 'running',
});

/** Due at t0. */
export const retrying = (over: Partial<RetryingJob> = {}): RetryingJob => ({
  ...common,
  nextAttemptAt: t0,
  ...over,
  state: 'retrying',
});

export const succeeded = (over: Partial<SucceededJob> = {}): SucceededJob => ({
  ...common,
  result: '{"credited":1}',
  expiresAt: t0 + 2_592_000_000,
  ...over,
  state: 'succeeded',
});

export const dead = (over: Partial<DeadJob> = {}): DeadJob => ({
  ...common,
  reason: { code: 'permanent-error', message: 'no such account' },
  diedAt: t0,
  ...over,
  state: 'dead',
});

export const ended = (state: EndedJob['state'], over: Partial<EndedJob> = {}): EndedJob => ({
  ...common,
  expiresAt: t0 + 2_592_000_000,
  ...over,
  state,
});

/** One job of every final state. */
export const finals = (over: Partial<Omit<EndedJob, 'state'>> = {}): readonly FinalJob[] => [
  succeeded(over),
  ended('cancelled', over),
  ended('expired', over),
  ended('discarded', over),
];

export const messageOf = (job: Job, over: Partial<Message> = {}): Message => ({
  v: 1,
  id: job.id,
  fingerprint: job.fingerprint,
  tenure: job.tenure,
  ...over,
});

/** A value that throws when somebody writes to it: purity is checked by handing it over. */
export const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
};
