import { describe, expect, it } from 'vitest';
import type { DeadJob, Job } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import { bounds } from '#core/limits.ts';
import { transition } from '#core/transition.ts';
import { dead, limits, owner, queued, retrying, running, slotAt, succeeded, t0 } from '#test/support/core/jobs.ts';

const at = t0 + 70_000;
const apply = (job: Job, event: JobEvent): Job => {
  const made = transition(job, event, limits);
  if (!made.ok) throw new Error(`refused: ${made.refusal}`);
  return made.job;
};
const failWith = (message: string): JobEvent => ({
  type: 'finish',
  now: at,
  owner,
  outcome: { kind: 'fail', code: 'permanent-error', message },
  jitter: 0,
});
const redrive = (force = false): Extract<JobEvent, { type: 'redrive' }> => ({
  type: 'redrive',
  now: at,
  slot: slotAt(t0, '00000000000b', 5),
  actor: 'operator-1',
  force,
});

describe('G7 a dead job', () => {
  const life = { attempt: 3, starts: 8, redrives: 1, tenure: 1, history: [{ at: t0, event: 'accept' as const }] };
  const request = {
    id: queued().id,
    key: 'order-1',
    payload: queued().payload,
    options: {},
    fingerprint: 'f'.repeat(64),
  };

  it.each<[string, Job, JobEvent, string]>([
    ['a permanent error', running(life), failWith('m'), 'permanent-error'],
    [
      'a request that no longer fits, found at its start',
      running(life),
      {
        type: 'finish',
        now: at,
        owner,
        outcome: { kind: 'fail', code: 'request-unreadable', message: 'm' },
        jitter: 0,
      },
      'request-unreadable',
    ],
    [
      'its last retryable error',
      running(life),
      {
        type: 'finish',
        now: at,
        owner,
        outcome: { kind: 'retry', code: 'timeout', message: 'm', burnsAttempt: true },
        jitter: 0,
      },
      'attempts-exhausted',
    ],
    ['its last worker lost', running(life), { type: 'recover', now: at, jitter: 0 }, 'worker-lost'],
    [
      'too many returns',
      queued(life),
      { type: 'bury', now: at, reason: { code: 'never-started', message: 'm' } },
      'never-started',
    ],
    [
      'a request that cannot be read',
      retrying(life),
      { type: 'bury', now: at, reason: { code: 'request-unreadable', message: 'm' } },
      'request-unreadable',
    ],
  ])('of %s keeps request, reason, attempts and history', (_, job, event, code) => {
    const after = apply(job, event);
    expect(after).toMatchObject({
      ...request,
      state: 'dead',
      attempt: 3,
      starts: 8,
      redrives: 1,
      tenure: 1,
      diedAt: at,
    });
    expect((after as DeadJob).reason.code).toBe(code);
    expect(after.history[0]).toEqual({ at: t0, event: 'accept' });
    expect(after.history.at(-1)).toEqual({ at, event: 'dead', attempt: 3, detail: { code } });
    expect(after).not.toHaveProperty('expiresAt');
  });

  it('cuts a long message to its bound', () => {
    const after = apply(running(), failWith('x'.repeat(bounds.reasonMessageChars + 1))) as DeadJob;
    expect(after.reason.message).toBe('x'.repeat(bounds.reasonMessageChars));
  });

  it.each([
    ['a pair at the cut', `${'x'.repeat(bounds.reasonMessageChars - 1)}\u{1F4A5}`],
    ['a lone half from the handler', 'broken \ud83d text'],
  ])('never stores half of a surrogate pair, which the table would refuse for ever: %s', (_, message) => {
    const after = apply(running(), failWith(message)) as DeadJob;
    expect(after.reason.message.isWellFormed()).toBe(true);
  });
});

describe('G7 redrive', () => {
  it('goes on under the same id and key with a new tenure, slot, attempts, budget and deadline', () => {
    const job = dead({
      attempt: 3,
      attemptsMax: 2,
      starts: 8,
      losses: 2,
      waitedMs: 5_000,
      resends: 4,
      returns: 5,
      options: { deadlineSeconds: 60 },
      deadlineAt: t0 + 60_000,
    });
    const after = apply(job, redrive());
    expect(after).toMatchObject({
      state: 'queued',
      id: job.id,
      key: job.key,
      payload: job.payload,
      fingerprint: job.fingerprint,
      tenure: 1,
      redrives: 1,
      attempt: 0,
      attemptsMax: limits.attemptsMax,
      starts: 8,
      losses: 0,
      waitedMs: 0,
      resends: 0,
      returns: 0,
      sentAt: at,
      deadlineAt: at + 60_000,
      slot: slotAt(t0, '00000000000b', 5),
    });
    expect(after).not.toHaveProperty('reason');
    expect(after).not.toHaveProperty('diedAt');
    const detail = { actor: 'operator-1', tenure: 1, after: 'permanent-error' };
    expect(after.history.at(-1)).toEqual({ at, event: 'redrive', detail });
  });

  it.each([
    [2, false, 'queued'],
    [3, false, '✗ redrive-limit'],
    [3, true, 'queued'],
    [19, true, 'queued'],
    [20, true, '✗ redrive-limit'],
  ])('case 11 after %i redrives, forced %s: %s', (redrives, force, expected) => {
    const made = transition(dead({ redrives }), redrive(force), limits);
    expect(made.ok ? made.job.state : `✗ ${made.refusal}`).toBe(expected);
  });

  it('case 11 a succeeded job is not run again', () => {
    expect(transition(succeeded(), redrive(true), limits)).toEqual({ ok: false, refusal: 'not-dead' });
  });
});

describe('discard', () => {
  it('ends a dead job, keeps what it died of, and names the actor', () => {
    const after = apply(dead(), { type: 'discard', now: at, actor: 'operator-1' });
    expect(after).toMatchObject({
      state: 'discarded',
      reason: { code: 'permanent-error', message: 'no such account' },
      expiresAt: at + limits.finalRetentionSeconds * 1000,
    });
    expect(after).not.toHaveProperty('diedAt');
    expect(after.history.at(-1)).toEqual({ at, event: 'discard', detail: { actor: 'operator-1' } });
  });
});
