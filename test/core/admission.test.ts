import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AdmissionView, backlogExceeds, mayTake, refusedByView, shardsToTry } from '#core/admission.ts';
import { bounds } from '#core/limits.ts';
import { limits, t0 } from '#test/support/core/jobs.ts';

const maxAgeMs = limits.viewMaxAgeSeconds * 1000;

describe('G1 a shard lets a token in', () => {
  const shard = { index: 0, open: true, cap: 2, members: ['a'], version: 1 };
  it.each([
    ['below its cap', shard, 'b', true],
    ['not at its cap', { ...shard, members: ['a', 'c'] }, 'b', false],
    ['not above its cap', { ...shard, cap: 0 }, 'b', false],
    ['that is in already, even above its cap', { ...shard, cap: 0 }, 'a', true],
    ['G9 not while closed', { ...shard, open: false }, 'b', false],
    ['G9 not while closed, unless it came in before', { ...shard, open: false }, 'a', true],
    ['G9 not a new one while closed', { ...shard, open: false }, 'c', false],
  ])('%s', (_, at, token, expected) => {
    expect(mayTake(at, token)).toBe(expected);
  });
});

describe('a view refuses', () => {
  const full = (at: number): AdmissionView => ({ slots: { at, state: 'full' } });
  const closed = (at: number): AdmissionView => ({ slots: { at, state: 'closed' } });
  const backlog = (at: number, messages = 11): AdmissionView => ({ backlog: { at, messages, capacity: 10 } });

  it.each<[string, AdmissionView, string | undefined]>([
    ['full, just now', full(t0), 'queue-full'],
    ['full, 1 ms short of its age', full(t0 - maxAgeMs + 1), 'queue-full'],
    ['full, at its age', full(t0 - maxAgeMs), undefined],
    ['full, from the future', full(t0 + 1), undefined],
    ['closed, just now', closed(t0), 'intake-closed'],
    ['closed, at its age', closed(t0 - maxAgeMs), undefined],
    ['room', { slots: { at: t0, state: 'room' } }, undefined],
    ['a backlog above the capacity', backlog(t0), 'queue-full'],
    ['a backlog at the capacity', backlog(t0, 10), undefined],
    ['a backlog at its age', backlog(t0 - maxAgeMs), undefined],
    ['room, but a backlog above', { slots: { at: t0, state: 'room' }, ...backlog(t0) }, 'queue-full'],
    ['closed is said before full', { ...closed(t0), ...backlog(t0) }, 'intake-closed'],
    ['nothing seen yet', {}, undefined],
  ])('%s', (_, view, expected) => {
    expect(refusedByView(view, t0, limits)).toBe(expected);
  });

  it('never by a look that is older than the limit, whatever it saw', () => {
    const look = fc.integer({ min: maxAgeMs, max: 10 * maxAgeMs });
    const state = fc.constantFrom('room' as const, 'full' as const, 'closed' as const);
    fc.assert(
      fc.property(look, look, state, fc.nat(), (slotsAge, backlogAge, seen, messages) => {
        const view = {
          slots: { at: t0 - slotsAge, state: seen },
          backlog: { at: t0 - backlogAge, messages, capacity: 1 },
        };
        expect(refusedByView(view, t0, limits)).toBeUndefined();
      }),
    );
  });

  it('a backlog of one message a job is normal', () => {
    expect([backlogExceeds({ messages: 10, capacity: 10 }), backlogExceeds({ messages: 11, capacity: 10 })]).toEqual([
      false,
      true,
    ]);
  });
});

describe('the shards to try', () => {
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  it('G1 all of a small registry, each once, whatever a view says', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bounds.shardsTriedMax }), random, fc.boolean(), (count, r, seen) => {
        const tried = shardsToTry(count, r, seen ? [0] : undefined);
        expect([...tried].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i));
      }),
    );
  });

  it('a few different ones of a large registry, all within it', () => {
    fc.assert(
      fc.property(fc.integer({ min: bounds.shardsTriedMax + 1, max: 4_000 }), random, (count, r) => {
        const tried = shardsToTry(count, r, undefined);
        expect(new Set(tried).size).toBe(bounds.shardsTriedMax);
        expect(tried.every((i) => i >= 0 && i < count)).toBe(true);
      }),
    );
  });

  it('of a large registry only those that a view showed with room', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat({ max: 99 }), { maxLength: 20 }), random, (withRoom, r) => {
        const tried = shardsToTry(100, r, withRoom);
        expect(new Set(tried).size).toBe(Math.min(withRoom.length, bounds.shardsTriedMax));
        expect(tried.every((i) => withRoom.includes(i))).toBe(true);
      }),
    );
  });

  it('first the one that it leans on, if that is among them, and then the others as before', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), random, fc.nat({ max: 50 }), (count, r, lean) => {
        const tried = shardsToTry(count, r, undefined, lean);
        if (lean < count) expect(tried[0]).toBe(lean);
        else expect(tried).toEqual(shardsToTry(count, r, undefined));
        expect(new Set(tried).size).toBe(Math.min(count, bounds.shardsTriedMax));
      }),
    );
  });

  it('starts elsewhere for another random number, so that writers spread', () => {
    const firsts = [0, 0.25, 0.5, 0.75].map((r) => shardsToTry(4, r, undefined)[0]);
    expect(firsts).toEqual([0, 1, 2, 3]);
  });
});
