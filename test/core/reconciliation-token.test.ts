import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import { judgeToken } from '#core/reconciliation.ts';
import { makeToken } from '#core/slot.ts';
import { dead, finals, limits, queued, retrying, running, slotAt, t0 } from '#test/support/core/jobs.ts';

const slot = slotAt(t0);
const orphanMs = limits.orphanTokenSeconds * 1000;
const longAfter = t0 + 10 * orphanMs;

describe('G8 a slot token and its record', () => {
  it.each<[string, Job, string]>([
    ['queued', queued(), 'alive'],
    ['running', running(), 'alive'],
    ['retrying', retrying(), 'alive'],
    ['dead', dead(), 'ended'],
    ...finals().map((job): [string, Job, string] => [job.state, job, 'ended']),
  ])('carried by a %s record, young or old', (_, job, expected) => {
    expect(judgeToken(slot, job, t0, limits)).toBe(expected);
    expect(judgeToken(slot, job, longAfter, limits)).toBe(expected);
  });

  it.each<[string, Job | undefined]>([
    ['no record', undefined],
    ['a record with another token', queued({ slot: slotAt(t0, '00000000000b') })],
    ['a record with the token in another shard', queued({ slot: slotAt(t0, '00000000000a', 4) })],
    ['a dead record with another token', dead({ slot: slotAt(t0, '00000000000b') })],
  ])('%s: young until no request can bring it any more, then an orphan', (_, job) => {
    expect(judgeToken(slot, job, t0, limits)).toBe('young');
    expect(judgeToken(slot, job, t0 + orphanMs, limits)).toBe('young');
    expect(judgeToken(slot, job, t0 + orphanMs + 1_001, limits)).toBe('orphan');
  });

  it('a token is not an orphan before its whole time has passed, although it keeps whole seconds only', () => {
    const takenAt = t0 + 999;
    const token = makeToken(queued().id, '00000000000b', takenAt);
    expect(judgeToken({ shard: 3, token }, undefined, takenAt + orphanMs, limits)).toBe('young');
  });
});
