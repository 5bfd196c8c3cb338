import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import { meet } from '#core/meeting.ts';
import type { Message } from '#core/message.ts';
import { transition } from '#core/transition.ts';
import { dead, finals, frozen, limits, messageOf, queued, retrying, running, t0 } from '#test/support/core/jobs.ts';

const now = t0 + 120_000;
const meeting = (job: Job | undefined, over: Partial<Message> = {}, at = now) =>
  meet(frozen(job), messageOf(job ?? queued(), over), at, 0, limits);

/** What a meeting came to, in short: the act and what qualifies it. */
const short = (m: ReturnType<typeof meet>): string => {
  switch (m.act) {
    case 'start':
      return m.suspect ? 'start as suspect' : 'start';
    case 'acknowledge':
    case 'put-off':
      return `${m.act} ${m.why}`;
    case 'move-first':
      return `${m.act} ${m.event}`;
    case 'bury-stray':
      return `${m.act} ${m.reason}`;
    default:
      return m.act;
  }
};

const graceMs = limits.leaseGraceSeconds * 1000;

describe('a message meets its record', () => {
  it.each<[string, Job | undefined, Partial<Message>, string]>([
    ['no record', undefined, {}, 'bury-stray unknown-job'],
    ['another fingerprint', queued(), { fingerprint: '0'.repeat(64) }, 'bury-stray forged'],
    ['another fingerprint, dead', dead(), { fingerprint: '0'.repeat(64) }, 'bury-stray forged'],
    ['a tenure that has not been', queued({ tenure: 1 }), { tenure: 2 }, 'bury-stray forged'],
    ['an older tenure, queued', queued({ tenure: 2 }), { tenure: 1 }, 'acknowledge older-tenure'],
    ['an older tenure, running', running({ tenure: 2 }), { tenure: 1 }, 'acknowledge older-tenure'],
    ['an older tenure, dead', dead({ tenure: 2 }), { tenure: 1 }, 'acknowledge older-tenure'],
    ['dead', dead(), {}, 'to-dead-letter'],
    ['queued', queued(), {}, 'start'],
    ['retrying, due', retrying(), {}, 'start'],
    ['retrying after a lost worker', retrying({ losses: 1 }), {}, 'start as suspect'],
  ])('%s', (_, job, over, expected) => {
    expect(short(meeting(job, over))).toBe(expected);
  });

  it.each(finals().map((job) => [job.state, job] as const))('%s is acknowledged as final', (_, job) => {
    expect(short(meeting(job))).toBe('acknowledge final');
  });

  it.each(finals({ tenure: 2 }).map((job) => [job.state, job] as const))(
    'G8 %s answers an older tenure with the job too, so that its slot can be freed',
    (_, job) => {
      expect(meeting(job, { tenure: 1 })).toMatchObject({ act: 'acknowledge', job: { slot: job.slot } });
    },
  );
});

describe('boundaries of a meeting', () => {
  it.each<[string, Job, string]>([
    ['due now', retrying({ nextAttemptAt: now }), 'start'],
    ['due 1 ms later', retrying({ nextAttemptAt: now + 1 }), 'put-off too-early'],
    ['delayed until now', queued({ nextAttemptAt: now }), 'start'],
    ['delayed 1 ms longer', queued({ nextAttemptAt: now + 1 }), 'put-off too-early'],
    ['deadline now', queued({ deadlineAt: now }), 'move-first expire'],
    ['deadline now, not due', queued({ deadlineAt: now, nextAttemptAt: now + 1 }), 'move-first expire'],
    ['deadline 1 ms ahead', queued({ deadlineAt: now + 1 }), 'start'],
    ['final until 1 ms from now', finals({ expiresAt: now + 1 })[0] as Job, 'acknowledge final'],
    ['final, its TTL over now', finals({ expiresAt: now })[0] as Job, 'bury-stray unknown-job'],
    ['grace ends 1 ms from now', running({ leaseUntil: now - graceMs + 1 }), 'put-off running'],
    [
      'grace ends now, its wait is not over',
      running({ leaseUntil: now - graceMs, attempt: 3, attemptsMax: 5 }),
      'start as suspect',
    ],
  ])('%s', (_, job, expected) => {
    expect(short(meeting(job))).toBe(expected);
  });

  it('puts off until the wait is over, or until the lease may be taken over', () => {
    expect(meeting(retrying({ nextAttemptAt: now + 4_321 }))).toMatchObject({ until: now + 4_321 });
    expect(meeting(running({ leaseUntil: now + 1_000 }))).toMatchObject({ until: now + 1_000 + graceMs });
  });
});

describe('a message finds a lease that has ended', () => {
  /** With attempt 4 the wait of 8 s is longer than the grace of 5 s, so it is not over when the lease may be taken over. */
  const fourth = { attempt: 4, attemptsMax: 6 };
  it.each<[string, Partial<Parameters<typeof running>[0]>, number, string]>([
    ['the wait is over', fourth, 8_000, 'start as suspect'],
    ['the wait ends 1 ms from now', fourth, 7_999, 'move-first recover'],
    ['no attempts left: the reconciler buries it', { attempt: 3 }, 8_000, 'put-off to-be-buried'],
    ['a cancel was requested', { cancelRequested: true }, 8_000, 'move-first recover'],
    ['a cancel was requested, no attempts left', { attempt: 3, cancelRequested: true }, 8_000, 'move-first recover'],
    ['no budget left', { waitBudgetMs: 0 }, 8_000, 'put-off to-be-buried'],
    ['its wait would end at the deadline', { deadlineAt: now - 8_000 + 1_000 }, 8_000, 'move-first recover'],
    ['the deadline has passed since its wait ended', { deadlineAt: now }, 8_000, 'move-first recover'],
    ['the deadline is 1 ms ahead', { deadlineAt: now + 1 }, 8_000, 'start as suspect'],
  ])('%s', (_, over, endedMsAgo, expected) => {
    expect(short(meeting(running({ ...over, leaseUntil: now - endedMsAgo })))).toBe(expected);
  });

  it('G5 starts the recovered job, with the lost attempt counted', () => {
    const met = meeting(running({ leaseUntil: now - 60_000, attempt: 2 }));
    expect(met).toMatchObject({ act: 'start', job: { state: 'retrying', attempt: 2, losses: 1 } });
  });

  it('what it says to start can be started', () => {
    for (const deadlineAt of [undefined, now - 1, now, now + 1]) {
      const met = meeting(running({ leaseUntil: now - 60_000, deadlineAt }));
      if (met.act !== 'start') continue;
      const started = transition(met.job, { type: 'start', now, owner: 'next', leaseUntil: now + 1 }, limits);
      expect(started.ok, `deadline ${deadlineAt}`).toBe(true);
    }
  });

  it('waits a reconciler period for the burial', () => {
    const met = meeting(running({ leaseUntil: now - 60_000, attempt: 3 }));
    expect(met).toMatchObject({ until: now + limits.reconcilerPeriodSeconds * 1000 });
  });
});
