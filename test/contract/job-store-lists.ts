import { describe, expect, it } from 'vitest';
import { strayId } from '#core/identity.ts';
import type { JobStore, JobsQuery } from '#functions/ports.ts';
import { dead, queued, succeeded, t0 } from '#test/support/core/jobs.ts';
import { changed, identity, type StoreUnderTest, seeded, started } from './subjects.ts';

const all: JobsQuery = { limit: 100, now: t0 };

const pages = async (store: JobStore, query: Partial<JobsQuery>): Promise<readonly string[]> => {
  const ids: string[] = [];
  let after: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const { jobs, next } = await store.listJobs({ ...all, ...query, after });
    ids.push(...jobs.map((job) => job.id));
    if (next === undefined) return ids;
    after = next;
  }
  throw new Error('the pages do not come to an end');
};

/** Lists by tenant and of all, strays that are discarded, and progress. */
export const describeLists = (make: () => Promise<StoreUnderTest>): void => {
  describe('the lists of jobs', () => {
    it('are newest first, of one tenant or of all, and lose and repeat none over small pages', async () => {
      const { store } = await make();
      const mine: string[] = [];
      const others: string[] = [];
      for (let n = 0; n < 9; n += 1) {
        const scope = n % 3 === 0 ? 'other/one' : 'mine/one';
        const { id } = await seeded(store, queued({ ...identity(), scope, submittedAt: t0 + n }));
        (n % 3 === 0 ? others : mine).unshift(id);
      }
      for (const limit of [1, 2, 5, 100]) {
        expect(await pages(store, { tenant: 'mine/one', limit })).toEqual(mine);
        expect((await pages(store, { limit })).toSorted()).toEqual([...mine, ...others].toSorted());
      }
      expect(await pages(store, { tenant: 'nobody/none' })).toEqual([]);
    });

    it('are filtered by state and type, and leave out what is past its TTL', async () => {
      const { store } = await make();
      const scope = 'mine/two';
      const one = await seeded(store, queued({ ...identity(), scope, type: 'a' }));
      const two = await seeded(store, dead({ ...identity(), scope, type: 'b' }));
      const gone = await seeded(store, succeeded({ ...identity(), scope, type: 'a', expiresAt: t0 + 5_000 }));
      expect(await pages(store, { tenant: scope, state: 'dead' })).toEqual([two.id]);
      expect((await pages(store, { tenant: scope, type: 'a' })).toSorted()).toEqual([one.id, gone.id].toSorted());
      expect(await pages(store, { tenant: scope, type: 'a', now: t0 + 5_000 })).toEqual([one.id]);
      expect(await pages(store, { tenant: scope, state: 'dead', type: 'a' })).toEqual([]);
    });
  });

  describe('a stray that is discarded', () => {
    it('leaves the list once, and stays known as discarded', async () => {
      const { store } = await make();
      const id = strayId('thrown away');
      expect(await store.discardStray(id, t0 + 1_000)).toBe(false);
      await store.recordStray({ id, reason: 'forged', receivedAt: t0 });
      expect((await store.readStrays([id])).get(id)).toBe('kept');
      expect(await store.discardStray(id, t0 + 1_000)).toBe(true);
      expect(await store.discardStray(id, t0 + 1_000)).toBe(false);
      expect((await store.readStrays([id])).get(id)).toBe('discarded');
      expect(await store.countDead(10)).toBe(0);
      expect(await store.recordStray({ id, reason: 'forged', receivedAt: t0 })).toBe(false);
    });
  });

  describe('progress', () => {
    it('is shown while the owner has the job, and touches nothing else', async () => {
      const { store } = await make();
      const job = await started(store);
      expect(await store.noteProgress(job, { done: 1, total: 4, note: 'first' }, t0 + 1)).toBe(true);
      const seen = await store.read(job.id);
      expect(seen).toEqual({
        ...job,
        progress: { done: 1, total: 4, note: 'first' },
        updatedAt: t0 + 1,
        rev: job.rev + 1,
      });
      const stranger = { ...job, owner: 'another owner' };
      expect(await store.noteProgress(stranger, { done: 4, total: 4 }, t0 + 2)).toBe(false);
      expect(await store.read(job.id)).toEqual(seen);
      // It outlives the attempt that told it.
      const outcome = { kind: 'done', result: 'null', external: false } as const;
      const done = changed(job, { type: 'finish', now: t0 + 3, owner: job.owner, outcome, jitter: 0 });
      expect(await store.finish(job, done, [], true)).toEqual({ kind: 'saved' });
      expect((await store.read(job.id))?.progress).toEqual({ done: 1, total: 4, note: 'first' });
    });
  });
};
