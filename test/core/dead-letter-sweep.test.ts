import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import { formatMessage, type Message, parseMessage } from '#core/message.ts';
import { judgeDeadLetter, type SweepVerdict } from '#core/reconciliation.ts';
import { dead, finals, limits, messageOf, queued, retrying, running, t0 } from '#test/support/core/jobs.ts';

const now = t0 + 600_000;
const overdueMs = (limits.putOffMinSeconds + limits.leaseGraceSeconds) * 1000;
const short = (v: SweepVerdict): string => (v.act === 'stray' ? `stray ${v.reason}` : v.act);
const judge = (job: Job | undefined, over: Partial<Message> = {}) =>
  judgeDeadLetter(parseMessage(formatMessage(messageOf(job ?? queued(), over))), job, now, limits);

describe('the sweep of the dead-letter queue', () => {
  it.each<[string, Job | undefined, Partial<Message>, string]>([
    ['no record', undefined, {}, 'stray unknown-job'],
    ['a final record past its TTL', finals({ expiresAt: now })[0], {}, 'stray unknown-job'],
    ['a final record 1 ms before its TTL', finals({ expiresAt: now + 1 })[0], {}, 'delete'],
    ['another fingerprint, final', finals()[0], { fingerprint: '0'.repeat(64) }, 'stray forged'],
    ['another fingerprint, dead', dead(), { fingerprint: '0'.repeat(64) }, 'stray forged'],
    ['a tenure that has not been', dead(), { tenure: 1 }, 'stray forged'],
    ['dead: it belongs here', dead(), {}, 'leave'],
    ['dead, an older tenure', dead({ tenure: 1 }), { tenure: 0 }, 'delete'],
    ['queued again, an older tenure', queued({ tenure: 1 }), { tenure: 0 }, 'delete'],
    ['running', running(), {}, 'leave'],
    ['case 8 queued and overdue', queued({ sentAt: now - overdueMs }), {}, 'send-again'],
    ['queued, overdue 1 ms from now', queued({ sentAt: now - overdueMs + 1 }), {}, 'leave'],
    ['retrying and overdue', retrying({ nextAttemptAt: now - overdueMs }), {}, 'send-again'],
    ['retrying, not due yet', retrying({ nextAttemptAt: now + 1 }), {}, 'leave'],
  ])('%s', (_, job, over, expected) => {
    expect(short(judge(job, over))).toBe(expected);
  });

  it.each(finals().map((job) => [job.state, job] as const))('a message of a %s job goes', (_, job) => {
    expect(judge(job)).toEqual({ act: 'delete' });
  });

  it('case 13 what cannot be read is judged before any record', () => {
    expect(judgeDeadLetter(parseMessage('not json'), dead(), now, limits)).toEqual({
      act: 'stray',
      reason: 'unreadable',
    });
    expect(judgeDeadLetter(parseMessage('{"v":2}'), dead(), now, limits)).toEqual({
      act: 'stray',
      reason: 'unknown-version',
    });
  });
});
