import { describe, expect, it } from 'vitest';
import type { RunMemory } from '#functions/ports.ts';
import { t0 } from '#test/support/core/jobs.ts';
import type { MemoryUnderTest } from './subjects.ts';

const until = t0 + 50_000;
const nothing: RunMemory = { seen: [], fromShard: 0, lastRunAt: 0 };
const something: RunMemory = { seen: ['token-a', 'token-b'], fromShard: 3, lastRunAt: t0 };

/** `seen` is a set: its order means nothing. */
const sorted = (memory: RunMemory): RunMemory => ({ ...memory, seen: memory.seen.toSorted() });

/** What every ReconcilerMemory must do. `make` gives each test an empty one. */
export const describeReconcilerMemory = (name: string, make: () => Promise<MemoryUnderTest>): void => {
  describe(`${name} as a ReconcilerMemory`, () => {
    const acquired = async ({ memory }: MemoryUnderTest, owner: string, now: number) => {
      const result = await memory.acquire(owner, now, now + 50_000);
      if (result.kind === 'busy') throw new Error('the lock is held');
      return sorted(result.memory);
    };

    it('begins with nothing and gives the next run what the last one left', async () => {
      const subject = await make();
      expect(await acquired(subject, 'a', t0)).toEqual(nothing);
      await subject.memory.release('a', something);
      expect(await acquired(subject, 'b', t0 + 1)).toEqual(something);
      await subject.memory.release('b', nothing);
      expect(await acquired(subject, 'c', t0 + 2)).toEqual(nothing);
    });

    it('is busy until the end of the lock, and not from there on', async () => {
      const { memory } = await make();
      expect((await memory.acquire('a', t0, until)).kind).toBe('acquired');
      expect(await memory.acquire('b', until - 1, until + 50_000)).toEqual({ kind: 'busy' });
      expect((await memory.acquire('b', until, until + 50_000)).kind).toBe('acquired');
      expect(await memory.acquire('c', until + 1, until + 60_000)).toEqual({ kind: 'busy' });
    });

    it('takes the same owner twice', async () => {
      const { memory } = await make();
      expect((await memory.acquire('a', t0, until)).kind).toBe('acquired');
      expect((await memory.acquire('a', t0, until)).kind).toBe('acquired');
      expect(await memory.acquire('b', t0, until)).toEqual({ kind: 'busy' });
    });

    it('is free at once after its release, which may be repeated', async () => {
      const subject = await make();
      await acquired(subject, 'a', t0);
      await subject.memory.release('a', something);
      await subject.memory.release('a', something);
      expect(await acquired(subject, 'b', t0)).toEqual(something);
    });

    it('hears nothing from a run that was overtaken', async () => {
      const subject = await make();
      await acquired(subject, 'a', t0);
      await acquired(subject, 'b', until);
      await subject.memory.release('a', something);
      expect(await subject.memory.acquire('c', until, until + 1)).toEqual({ kind: 'busy' });
      await subject.memory.release('b', { ...nothing, fromShard: 1 });
      expect(await acquired(subject, 'c', until)).toEqual({ ...nothing, fromShard: 1 });
    });

    it('ignores a release without a lock', async () => {
      const subject = await make();
      await subject.memory.release('a', something);
      expect(await acquired(subject, 'b', t0)).toEqual(nothing);
    });

    it('lets one of several in', async () => {
      const { memory } = await make();
      const results = await Promise.all(['a', 'b', 'c', 'd'].map((owner) => memory.acquire(owner, t0, until)));
      expect(results.filter((result) => result.kind === 'acquired')).toHaveLength(1);
    });
  });
};
