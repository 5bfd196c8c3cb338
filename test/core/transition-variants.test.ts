import { describe, expect, it } from 'vitest';
import { admit } from '#core/admit.ts';
import type { Job, RunningJob } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import type { Outcome } from '#core/outcome.ts';
import { transition } from '#core/transition.ts';
import { limits, owner, queued, retrying, running, slotAt, t0 } from '#test/support/core/jobs.ts';

/** The state that follows with a dead job's reason, or the refusal. */
const follow = (job: Job, event: JobEvent): string => {
  const made = transition(job, event, limits);
  if (!made.ok) return `✗ ${made.refusal}`;
  return made.job.state === 'dead' ? `dead ${made.job.reason.code}` : made.job.state;
};
const made = (job: Job, event: JobEvent): Job => {
  const result = transition(job, event, limits);
  if (!result.ok) throw new Error(`refused: ${result.refusal}`);
  return result.job;
};

const at = t0 + 10_000;
const start = (now: number): JobEvent => ({ type: 'start', now, owner: 'next', leaseUntil: now + 60_000 });
const finish = (outcome: Outcome, by = owner): JobEvent => ({ type: 'finish', now: at, owner: by, outcome, jitter: 0 });
const retry: Outcome = { kind: 'retry', code: 'retryable-error', message: 'm', burnsAttempt: true };
const contended: Outcome = { kind: 'retry', code: 'finish-contended', message: 'm', burnsAttempt: false };
const asking = (afterSeconds: number): Outcome => ({ ...retry, afterSeconds });
const done: Outcome = { kind: 'done', result: '1', external: false };
const fail: Outcome = { kind: 'fail', code: 'permanent-error', message: 'm' };

describe('admit', () => {
  const admission = {
    id: 'a'.repeat(32),
    type: 'ledger.credit',
    key: 'k',
    scope: 's',
    fingerprint: 'f'.repeat(64),
    payload: { inline: '{}' },
    slot: slotAt(t0),
    now: t0,
  };

  it('none → queued, unstarted, in tenure 0, with an accept in the history', () => {
    expect(admit({ ...admission, options: {} }, limits)).toMatchObject({
      state: 'queued',
      attempt: 0,
      starts: 0,
      tenure: 0,
      redrives: 0,
      attemptsMax: 3,
      waitBudgetMs: 900_000,
      history: [{ at: t0, event: 'accept' }],
    });
  });

  it('turns the options into times', () => {
    const options = { delaySeconds: 7, deadlineSeconds: 90, waitBudgetSeconds: 0 };
    const job = admit({ ...admission, options }, limits);
    expect(job).toMatchObject({ nextAttemptAt: t0 + 7_000, deadlineAt: t0 + 90_000, waitBudgetMs: 0, options });
  });
});

describe('G5 a start', () => {
  it.each<[string, Job, string]>([
    ['due now', retrying({ nextAttemptAt: at }), 'running'],
    ['due a millisecond later', retrying({ nextAttemptAt: at + 1 }), '✗ too-early'],
    ['delayed until now', queued({ nextAttemptAt: at }), 'running'],
    ['delayed a millisecond longer', queued({ nextAttemptAt: at + 1 }), '✗ too-early'],
    ['deadline now', queued({ deadlineAt: at }), '✗ deadline-passed'],
    ['deadline a millisecond ahead', queued({ deadlineAt: at + 1 }), 'running'],
    ['one attempt left', retrying({ attempt: 2 }), 'running'],
    ['no attempts left', retrying({ attempt: 3 }), '✗ no-attempts-left'],
  ])('%s', (_, job, expected) => {
    expect(follow(job, start(at))).toBe(expected);
  });

  it('counts the attempt, writes owner and lease, and clears the marks of waiting', () => {
    const job = made(retrying({ attempt: 1, starts: 4, stale: true, unsent: true, returns: 2 }), start(at));
    expect(job).toMatchObject({ attempt: 2, starts: 5, owner: 'next', leaseUntil: at + 60_000, returns: 0 });
    expect([job.stale, job.unsent]).toEqual([undefined, undefined]);
    expect(job.history.at(-1)).toEqual({ at, event: 'start', attempt: 2 });
  });
});

describe('G5 finish retry', () => {
  it.each<[string, RunningJob, Outcome, string]>([
    ['attempts left', running({ attempt: 2 }), retry, 'retrying'],
    ['the last attempt', running({ attempt: 3 }), retry, 'dead attempts-exhausted'],
    ['the last attempt, but it burns none', running({ attempt: 3 }), contended, 'retrying'],
    ['the wait fills the budget', running({ waitedMs: 4_000, waitBudgetMs: 5_000 }), retry, 'retrying'],
    [
      'the wait exceeds the budget by 1 ms',
      running({ waitedMs: 4_001, waitBudgetMs: 5_000 }),
      retry,
      'dead wait-budget-exhausted',
    ],
    ['no budget at all', running({ waitBudgetMs: 0 }), retry, 'dead wait-budget-exhausted'],
    ['a wait that burns none is bounded too', running({ waitBudgetMs: 0 }), contended, 'dead wait-budget-exhausted'],
    ['the wait ends at the deadline', running({ deadlineAt: at + 1_000 }), retry, 'expired'],
    ['the wait ends 1 ms before the deadline', running({ deadlineAt: at + 1_001 }), retry, 'retrying'],
    ['the last attempt, deadline passed', running({ attempt: 3, deadlineAt: at }), retry, 'dead attempts-exhausted'],
    ['a cancel was requested', running({ cancelRequested: true }), retry, 'cancelled'],
    ['a cancel was requested, last attempt', running({ attempt: 3, cancelRequested: true }), retry, 'cancelled'],
    ['an asked wait fills the budget', running({ waitBudgetMs: 90_000 }), asking(90), 'retrying'],
    ['an asked wait exceeds it by 1 ms', running({ waitBudgetMs: 89_999 }), asking(90), 'dead wait-budget-exhausted'],
    ['no wait is long enough', running(), asking(Number.POSITIVE_INFINITY), 'dead wait-budget-exhausted'],
    ['an asked wait ends at the deadline', running({ deadlineAt: at + 90_000 }), asking(90), 'expired'],
  ])('%s', (_, job, outcome, expected) => {
    expect(follow(job, finish(outcome))).toBe(expected);
  });

  it('keeps count of the waits and tells them in the history', () => {
    const job = made(running({ attempt: 2, waitedMs: 1_000, resends: 3 }), finish({ ...retry, code: 'timeout' }));
    expect(job).toMatchObject({ attempt: 2, nextAttemptAt: at + 2_000, waitedMs: 3_000, resends: 0 });
    expect(job.history.at(-1)).toEqual({
      at,
      event: 'retry',
      attempt: 2,
      detail: expect.objectContaining({ waitSeconds: 2, code: 'timeout' }),
    });
  });

  it('waits for what was asked, beyond the cap, and tells it in the history', () => {
    const job = made(running({ attempt: 1, waitedMs: 1_000 }), finish(asking(90)));
    expect(job).toMatchObject({ nextAttemptAt: at + 90_000, waitedMs: 91_000 });
    expect(job.history.at(-1)?.detail).toMatchObject({ waitSeconds: 90, code: 'retryable-error' });
    expect(made(running({ attempt: 2 }), finish(asking(1)))).toMatchObject({ nextAttemptAt: at + 2_000 });
  });

  it('a contended finish gives its attempt back and keeps the count of starts', () => {
    expect(made(running({ attempt: 3, starts: 5 }), finish(contended))).toMatchObject({ attempt: 2, starts: 5 });
  });
});

describe('G3 case 4 only the owner finishes', () => {
  it.each<[string, Outcome]>([
    ['done', done],
    ['retry', retry],
    ['fail', fail],
    ['cancelled', { kind: 'cancelled' }],
  ])('a late %s of another start changes nothing', (_, outcome) => {
    expect(follow(running(), finish(outcome, 'an-earlier-start'))).toBe('✗ not-owner');
  });
});

describe('G9 cancel', () => {
  it.each<[string, Outcome, string]>([
    ['done loses against the request', done, '✗ cancel-requested'],
    ['done elsewhere is not hidden', { ...done, external: true }, 'succeeded'],
    ['cancelled at a checkpoint', { kind: 'cancelled' }, 'cancelled'],
  ])('requested while running: %s', (_, outcome, expected) => {
    expect(follow(running({ cancelRequested: true }), finish(outcome))).toBe(expected);
  });

  it('a request marks a running job, once', () => {
    const marked = made(running(), { type: 'cancel', now: at, actor: 'op' });
    expect(marked).toMatchObject({ state: 'running', cancelRequested: true, owner });
    expect(marked.history.at(-1)).toEqual({ at, event: 'cancel-request', detail: { actor: 'op' } });
    expect(follow(marked, { type: 'cancel', now: at, actor: 'op' })).toBe('✗ nothing-to-do');
  });
});

describe('recover', () => {
  const leaseUntil = t0 + 60_000;
  const overAt = leaseUntil + 5_000;
  it.each<[string, RunningJob, number, string]>([
    ['1 ms before the grace ends', running({ leaseUntil }), overAt - 1, '✗ lease-not-ended'],
    ['when the grace ends', running({ leaseUntil }), overAt, 'retrying'],
    ['on the last attempt', running({ leaseUntil, attempt: 3 }), overAt, 'dead worker-lost'],
    ['after a cancel request', running({ leaseUntil, attempt: 3, cancelRequested: true }), overAt, 'cancelled'],
    ['beyond the budget', running({ leaseUntil, waitBudgetMs: 999 }), overAt, 'dead wait-budget-exhausted'],
    ['its wait ends at the deadline', running({ leaseUntil, deadlineAt: leaseUntil + 1_000 }), overAt, 'expired'],
    ['its wait ends 1 ms before it', running({ leaseUntil, deadlineAt: leaseUntil + 1_001 }), overAt, 'retrying'],
  ])('%s', (_, job, now, expected) => {
    expect(follow(job, { type: 'recover', now, jitter: 0 })).toBe(expected);
  });

  it('G5 burns the attempt, makes a suspect, and waits from the end of the lease, whoever finds it when', () => {
    const found = [overAt, overAt + 3_600_000].map((now) =>
      made(running({ attempt: 2 }), { type: 'recover', now, jitter: 0 }),
    );
    for (const job of found) expect(job).toMatchObject({ attempt: 2, losses: 1, nextAttemptAt: leaseUntil + 2_000 });
  });
});

describe('expire', () => {
  it.each([
    ['at the deadline', at, 'expired'],
    ['1 ms before it', at + 1, '✗ deadline-ahead'],
    ['without one', undefined, '✗ deadline-ahead'],
  ])('%s', (_, deadlineAt, expected) => {
    expect(follow(queued({ deadlineAt }), { type: 'expire', now: at })).toBe(expected);
    expect(follow(retrying({ deadlineAt }), { type: 'expire', now: at })).toBe(expected);
  });
});
