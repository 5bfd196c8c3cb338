import { describe, expect, it } from 'vitest';
import type { HistoryEntry, InFlightJob } from '#core/job.ts';
import type { Limits } from '#core/limits.ts';
import { dueAt, isMissing, isStale, type QueueView, repairOf } from '#core/reconciliation.ts';
import { limits, queued, retrying, running, t0 } from '#test/support/core/jobs.ts';

const empty: QueueView = { visible: 0, paused: false };
const now = t0 + 10_000;
const graceMs = limits.leaseGraceSeconds * 1000;

describe('G6 the repair of a job in flight', () => {
  it.each<[string, InFlightJob, string]>([
    ['queued, on its way', queued(), 'none'],
    ['lease and grace end 1 ms from now', running({ leaseUntil: now - graceMs + 1 }), 'none'],
    ['lease and grace end now', running({ leaseUntil: now - graceMs }), 'recover'],
    ['running, deadline passed: its lease decides', running({ leaseUntil: now, deadlineAt: t0 }), 'none'],
    ['deadline 1 ms ahead', queued({ deadlineAt: now + 1 }), 'none'],
    ['deadline now', queued({ deadlineAt: now }), 'expire'],
    ['retrying, deadline now', retrying({ deadlineAt: now }), 'expire'],
    ['four returns', queued({ returns: 4 }), 'none'],
    ['case 8 five returns without a start', queued({ returns: 5 }), 'bury-never-started'],
    ['five returns, deadline passed', queued({ returns: 5, deadlineAt: now }), 'expire'],
    ['G2 unsent', queued({ unsent: true }), 'resend-unsent'],
    ['retrying, unsent', retrying({ unsent: true }), 'resend-unsent'],
  ])('%s', (_, job, expected) => {
    expect(repairOf(job, now, empty, limits)).toBe(expected);
  });

  it('an unsent job is sent even while the consumer is paused', () => {
    expect(repairOf(queued({ unsent: true }), now, { visible: 5, paused: true }, limits)).toBe('resend-unsent');
  });
});

describe('G6 time decides that a message is missing', () => {
  /** Seconds that a message of an empty queue is waited for beyond its due time. */
  const waited = (over: Partial<Limits>, resends: number, queue = empty): number => {
    const l = { ...limits, visibilitySeconds: 360, resendPatienceSeconds: 300, ...over };
    const job = queued({ resends });
    for (let s = 0; s < 100_000; s += 1) if (isMissing(job, t0 + s * 1000 + 1, queue, l)) return s;
    return Number.POSITIVE_INFINITY;
  };

  it('to the millisecond, and says so in the repair', () => {
    const limit = t0 + (360 + 300) * 1000;
    expect(isMissing(queued(), limit, empty, limits)).toBe(false);
    expect(isMissing(queued(), limit + 1, empty, limits)).toBe(true);
    expect(repairOf(queued(), limit + 1, empty, limits)).toBe('resend-missing');
    expect(repairOf(retrying(), limit, empty, limits)).toBe('none');
  });

  it.each([
    [0, 300],
    [1, 600],
    [2, 1_200],
    [3, 2_400],
    [4, 3_600],
    [5, 3_600],
    [60, 3_600],
  ])('after %i resends its patience is %i s: it doubles, up to an hour', (resends, patience) => {
    expect(waited({}, resends)).toBe(360 + patience);
  });

  it.each([
    [0, 900],
    [1, 1_800],
    [2, 3_600],
  ])('a backlog postpones it after %i resends by %i s', (resends, postponed) => {
    const patience = 300 * 2 ** resends;
    expect(waited({}, resends, { visible: 1, paused: false })).toBe(360 + patience + postponed);
    expect(waited({}, resends, { visible: undefined, paused: false })).toBe(360 + patience + postponed);
  });

  it('never while the consumer is paused', () => {
    const year = t0 + 365 * 86_400_000;
    expect(isMissing(queued(), year, { visible: 0, paused: true }, limits)).toBe(false);
    expect(isMissing(queued(), year, { visible: 0, paused: false }, limits)).toBe(true);
  });

  it('counts from the later of last sent and due', () => {
    expect(dueAt(queued({ sentAt: t0 + 5 }))).toBe(t0 + 5);
    expect(dueAt(queued({ sentAt: t0, nextAttemptAt: t0 + 9 }))).toBe(t0 + 9);
    expect(dueAt(retrying({ sentAt: t0 + 9, nextAttemptAt: t0 + 5 }))).toBe(t0 + 9);
    expect(isMissing(retrying({ nextAttemptAt: t0 + 50_000 }), t0 + 710_000, empty, limits)).toBe(false);
    expect(isMissing(retrying({ nextAttemptAt: t0 + 50_000 }), t0 + 710_001, empty, limits)).toBe(true);
  });

  it('a running job has no message that could be missing', () => {
    expect(isMissing(running({ leaseUntil: t0 }), t0 + 86_400_000, empty, limits)).toBe(false);
  });
});

describe('stale', () => {
  const staleMs = limits.staleAfterSeconds * 1000;
  const accept: HistoryEntry = { at: t0, event: 'accept' };
  const moved = (event: HistoryEntry['event']): HistoryEntry => ({ at: t0 + 7_000, event });
  it.each<[string, InFlightJob, number]>([
    ['queued', queued(), t0],
    ['delayed', queued({ nextAttemptAt: t0 + 5_000 }), t0 + 5_000],
    ['sent again, which is no progress', queued({ sentAt: t0 + 7_000, history: [accept, moved('resend')] }), t0],
    [
      'asked to cancel, which is no progress',
      running({ leaseUntil: t0, history: [accept, moved('cancel-request')] }),
      t0 + graceMs,
    ],
    ['redriven', queued({ history: [accept, moved('redrive')] }), t0 + 7_000],
    ['recovered after its wait was over', retrying({ history: [accept, moved('recover')] }), t0 + 7_000],
    ['retrying', retrying({ nextAttemptAt: t0 + 5_000 }), t0 + 5_000],
    ['running', running({ leaseUntil: t0 + 60_000 }), t0 + 60_000 + graceMs],
  ])('%s: more than 15 minutes beyond its due time', (_, job, due) => {
    expect(isStale(job, due + staleMs, limits)).toBe(false);
    expect(isStale(job, due + staleMs + 1, limits)).toBe(true);
  });
});
