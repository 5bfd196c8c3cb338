import { describe, expect, it } from 'vitest';
import { strayId } from '#core/identity.ts';
import type { StrayReason } from '#core/job.ts';
import type { DeadEntry, DeadQuery, JobStore, Stray } from '#functions/ports.ts';
import { dead, queued, retrying, succeeded, t0 } from '#test/support/core/jobs.ts';
import { changed, identity, type StoreUnderTest, seeded, slotOf } from './subjects.ts';

const everything: DeadQuery = { filter: {}, limit: 100, order: 'newest-first', strays: true };

const idOf = (entry: DeadEntry): string => (entry.kind === 'job' ? entry.job.id : entry.stray.id);
const timeOf = (entry: DeadEntry): number => (entry.kind === 'job' ? entry.job.diedAt : entry.stray.receivedAt);

/** All pages of a query. A page may be short or empty and still not be the last, so only `next` ends it. */
const allPages = async (store: JobStore, query: Partial<DeadQuery>): Promise<readonly DeadEntry[]> => {
  const entries: DeadEntry[] = [];
  let after = query.after;
  for (let pages = 0; pages < 200; pages += 1) {
    const page = await store.listDead({ ...everything, ...query, after });
    expect(page.entries.length).toBeLessThanOrEqual(query.limit ?? everything.limit);
    entries.push(...page.entries);
    if (page.next === undefined) return entries;
    after = page.next;
  }
  throw new Error('the pages do not come to an end');
};

const ids = async (store: JobStore, query: Partial<DeadQuery>) => (await allPages(store, query)).map(idOf);

const died = (store: JobStore, diedAt: number, over: Parameters<typeof dead>[0] = {}) =>
  seeded(store, dead({ ...identity(), diedAt, updatedAt: diedAt, ...over }));

const stray = async (store: JobStore, name: string, receivedAt: number, reason: StrayReason = 'forged') => {
  const made: Stray = { id: strayId(name), reason, receivedAt };
  expect(await store.recordStray(made)).toBe(true);
  return made;
};

export const describeDead = (make: () => Promise<StoreUnderTest>): void => {
  describe('the list of the dead', () => {
    it('has the dead alone, whole, in both orders', async () => {
      const { store } = await make();
      for (const other of [queued(), retrying(), succeeded()]) await seeded(store, { ...other, ...identity() });
      const jobs = [];
      for (const second of [2, 0, 3, 1]) jobs.push(await died(store, t0 + second * 1_000));
      const oldestFirst = jobs.toSorted((a, b) => a.diedAt - b.diedAt);
      const listed = await allPages(store, { order: 'oldest-first' });
      expect(listed.map((entry) => entry.kind === 'job' && entry.job)).toEqual(oldestFirst);
      expect(await ids(store, {})).toEqual(oldestFirst.toReversed().map((job) => job.id));
    });

    it.each(['newest-first', 'oldest-first'] as const)('loses and repeats none over small pages: %s', async (order) => {
      const { store } = await make();
      const expected: string[] = [];
      for (let n = 0; n < 14; n += 1) expected.push((await died(store, t0 + Math.floor(n / 5))).id);
      for (let n = 0; n < 4; n += 1) expected.push((await stray(store, `m-${n}`, t0 + 1)).id);
      for (const limit of [1, 2, 3, 7, 18, 19]) {
        const entries = await allPages(store, { order, limit });
        expect(entries.map(idOf).toSorted()).toEqual(expected.toSorted());
        const times = entries.map(timeOf);
        expect(times).toEqual(times.toSorted((a, b) => (order === 'oldest-first' ? a - b : b - a)));
      }
    });

    it.each(['newest-first', 'oldest-first'] as const)(
      'goes on behind any entry, also one that has left: %s',
      async (order) => {
        const { store } = await make();
        const jobs = [];
        for (let n = 0; n < 9; n += 1) jobs.push(await died(store, t0 + Math.floor(n / 4)));
        const entries = await allPages(store, { order });
        const listed = entries.map(idOf);
        for (const [n, entry] of entries.entries()) {
          expect(await ids(store, { order, after: entry.position, limit: 2 })).toEqual(listed.slice(n + 1));
        }
        const fourth = entries[3];
        const job = jobs.find(({ id }) => fourth && id === idOf(fourth));
        if (!fourth || !job) throw new Error('the list has lost a job');
        await store.save(job, changed(job, { type: 'discard', now: t0, actor: 'op' }));
        expect(await ids(store, { order, after: fourth.position })).toEqual(listed.slice(4));
      },
    );

    it('forgets a job that was redriven or discarded, and finds it when it dies again', async () => {
      const { store } = await make();
      const [one, two] = [await died(store, t0), await died(store, t0 + 1)];
      const again = changed(one, { type: 'redrive', now: t0 + 2, slot: slotOf(one.id), actor: 'op', force: false });
      await store.save(one, again);
      await store.save(two, changed(two, { type: 'discard', now: t0 + 2, actor: 'op' }));
      expect(await ids(store, {})).toEqual([]);
      expect(await store.countDead(10)).toBe(0);
      const reason = { code: 'never-started', message: '' } as const;
      await store.save(again, changed(again, { type: 'bury', now: t0 + 3, reason }));
      expect(await ids(store, { filter: { reason: 'never-started' } })).toEqual([one.id]);
    });

    it('filters by reason, type and tenant, alone and together', async () => {
      const { store } = await make();
      const lost = { reason: { code: 'worker-lost', message: '' } } as const;
      const [a, b, c, d] = [
        await died(store, t0, { scope: '1/A' }),
        await died(store, t0 + 1, { ...lost, scope: '1/A' }),
        await died(store, t0 + 2, { ...lost, type: 'webhook.deliver' }),
        await died(store, t0 + 3, { ...lost, type: 'webhook.deliver', scope: '1/A' }),
      ];
      const s = await stray(store, 'm', t0 + 4, 'unreadable');
      expect(await ids(store, { filter: { reason: 'worker-lost' } })).toEqual([d.id, c.id, b.id]);
      expect(await ids(store, { filter: { type: 'webhook.deliver' } })).toEqual([d.id, c.id]);
      expect(await ids(store, { filter: { tenant: '1/A' } })).toEqual([d.id, b.id, a.id]);
      expect(await ids(store, { filter: { reason: 'unreadable' } })).toEqual([s.id]);
      const narrow = { reason: 'worker-lost', type: 'webhook.deliver', tenant: '1/A' } as const;
      expect(await ids(store, { filter: narrow, limit: 1 })).toEqual([d.id]);
      expect(await ids(store, { filter: { ...narrow, tenant: '1/B' } })).toEqual([]);
    });

    it('takes `after` with its moment and `before` without', async () => {
      const { store } = await make();
      const found = [];
      for (let n = 0; n < 5; n += 1) found.push((await died(store, t0 + n)).id);
      const s = await stray(store, 'm', t0 + 2);
      const order = 'oldest-first';
      expect(await ids(store, { order, filter: { after: t0 + 3 } })).toEqual(found.slice(3));
      expect(await ids(store, { order, filter: { before: t0 + 1 } })).toEqual(found.slice(0, 1));
      const window = await ids(store, { order, filter: { after: t0 + 1, before: t0 + 3 } });
      expect(window.toSorted()).toEqual([found[1], found[2], s.id].toSorted());
      expect(await ids(store, { filter: { after: t0 + 2, before: t0 + 2 } })).toEqual([]);
      expect(await ids(store, { filter: { after: t0 + 9, before: t0 } })).toEqual([]);
    });

    it('counts jobs and strays up to a bound', async () => {
      const { store } = await make();
      expect(await store.countDead(10)).toBe(0);
      for (let n = 0; n < 4; n += 1) await died(store, t0 + n);
      await stray(store, 'm', t0);
      expect(await store.countDead(10)).toBe(5);
      expect(await store.countDead(5)).toBe(5);
      expect(await store.countDead(4)).toBe(4);
    });
  });

  describe('strays', () => {
    it('are listed by the time of their first sight, unless they are left out', async () => {
      const { store } = await make();
      const job = await died(store, t0 + 1);
      const s = await stray(store, 'm', t0 + 2, 'unknown-version');
      const entries = await allPages(store, {});
      expect(entries.map(({ position: _, ...entry }) => entry)).toEqual([
        { kind: 'stray', stray: s },
        { kind: 'job', job },
      ]);
      expect(await ids(store, { strays: false })).toEqual([job.id]);
      expect(await ids(store, { filter: { type: job.type } })).toEqual([job.id]);
      expect(await ids(store, { filter: { tenant: job.scope } })).toEqual([job.id]);
    });

    it('are recorded once', async () => {
      const { store } = await make();
      const first = await stray(store, 'm', t0);
      expect(await store.recordStray({ ...first, reason: 'unreadable', receivedAt: t0 + 9 })).toBe(false);
      const [entry, ...others] = await allPages(store, {});
      expect(entry).toMatchObject({ kind: 'stray', stray: first });
      expect(others).toEqual([]);
    });

    it('are read by their ids; absent ones are left out', async () => {
      const { store } = await make();
      const s = await stray(store, 'm', t0);
      expect(new Map(await store.readStrays([s.id, strayId('other'), s.id]))).toEqual(new Map([[s.id, 'kept']]));
      expect((await store.readStrays([])).size).toBe(0);
    });
  });
};
