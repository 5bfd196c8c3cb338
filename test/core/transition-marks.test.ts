import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import type { Outcome } from '#core/outcome.ts';
import { transition } from '#core/transition.ts';
import { limits, owner, queued, running, t0 } from '#test/support/core/jobs.ts';

const at = t0 + 70_000;
const apply = (job: Job, event: JobEvent): Job => {
  const made = transition(job, event, limits);
  if (!made.ok) throw new Error(`refused: ${made.refusal}`);
  return made.job;
};

const finish = (outcome: Outcome): JobEvent => ({ type: 'finish', now: at, owner, outcome, jitter: 0 });

describe('resend and marks', () => {
  it.each([
    ['missing', { resends: 3, returns: 4 }],
    ['returned', { resends: 2, returns: 5 }],
    ['unsent', { resends: 2, returns: 4 }],
  ] as const)('a resend of one %s counts %o and is a send', (cause, counts) => {
    const after = apply(queued({ resends: 2, returns: 4, unsent: true }), { type: 'resend', now: at, cause });
    expect(after).toMatchObject({ ...counts, sentAt: at });
    expect(after.unsent).toBeUndefined();
    expect(after.history.at(-1)).toEqual({ at, event: 'resend', detail: { cause } });
  });

  it('G2 unsent is marked once and cleared by the send that made up for it', () => {
    const marked = apply(queued(), { type: 'mark-unsent', now: at });
    expect(marked).toMatchObject({ unsent: true, sentAt: t0 });
    expect(transition(marked, { type: 'mark-unsent', now: at }, limits)).toEqual({
      ok: false,
      refusal: 'nothing-to-do',
    });
    const sent = apply(marked, { type: 'mark-sent', now: at + 1 });
    expect([sent.unsent, sent.sentAt]).toEqual([undefined, at + 1]);
    expect(transition(sent, { type: 'mark-sent', now: at }, limits)).toEqual({ ok: false, refusal: 'nothing-to-do' });
  });

  it.each<[string, Job, JobEvent]>([
    ['done', running({ stale: true }), finish({ kind: 'done', result: '1', external: false })],
    ['retried', running({ stale: true }), finish({ kind: 'retry', code: 'timeout', message: 'm', burnsAttempt: true })],
    ['dead', running({ stale: true }), finish({ kind: 'fail', code: 'permanent-error', message: 'm' })],
    ['recovered', running({ stale: true }), { type: 'recover', now: at, jitter: 0 }],
    ['cancelled', queued({ stale: true }), { type: 'cancel', now: at, actor: 'op' }],
    ['started', queued({ stale: true }), { type: 'start', now: at, owner: 'next', leaseUntil: at + 1 }],
  ])('a job that was stale is no longer so once it is %s', (_, job, event) => {
    expect(apply(job, event).stale).toBeUndefined();
  });
});
