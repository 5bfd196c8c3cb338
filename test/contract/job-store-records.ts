import { describe, expect, it } from 'vitest';
import { bounds } from '#core/limits.ts';
import { dead, ended, finals, queued, retrying, running, succeeded, t0 } from '#test/support/core/jobs.ts';
import { asStored, changed, count, identity, type StoreUnderTest, seeded, slotOf, started } from './subjects.ts';

const everyMark = {
  payload: { inline: '{"text":"ü \\u0000"}' },
  options: { delaySeconds: 1, deadlineSeconds: 60, waitBudgetSeconds: 0 },
  attempt: 2,
  starts: 9,
  losses: 1,
  waitedMs: 1_250,
  deadlineAt: t0 + 60_000,
  redrives: 4,
  tenure: 4,
  resends: 2,
  returns: 3,
  history: [
    { at: t0, event: 'accept' },
    { at: t0 + 1, event: 'retry', attempt: 1, detail: { waitSeconds: 1.25, code: 'timeout', force: true } },
  ],
} as const;

export const describeRecords = (make: () => Promise<StoreUnderTest>): void => {
  describe('reads and inserts', () => {
    it('has no record before the first insert', async () => {
      const { store } = await make();
      expect(await store.read(identity().id)).toBeUndefined();
    });

    it.each([
      ['queued', queued({ ...everyMark, unsent: true, stale: true, nextAttemptAt: t0 + 5_000 })],
      ['queued, bare', queued()],
      ['running', running({ ...everyMark, cancelRequested: true })],
      ['retrying', retrying({ ...everyMark, payload: { item: slotOf(identity().id).token } })],
      ['succeeded', succeeded({ ...everyMark, result: '{"credited":1}' })],
      ['dead', dead({ ...everyMark, reason: { code: 'worker-lost', message: '' } })],
      ['cancelled', ended('cancelled', everyMark)],
      ['expired', ended('expired', everyMark)],
      ['discarded', ended('discarded', { ...everyMark, reason: { code: 'permanent-error', message: 'x' } })],
    ])('reads back what was inserted: %s', async (_, shape) => {
      const { store } = await make();
      const job = await seeded(store, { ...shape, ...identity() });
      expect(await store.read(job.id)).toEqual(job);
    });

    it('does not touch a record that is there, and shows it', async () => {
      const { store } = await make();
      const job = await seeded(store, queued(identity()));
      const other = { ...job, slot: slotOf(job.id), fingerprint: 'e'.repeat(64) };
      expect(await store.insert(other, t0)).toEqual({ kind: 'exists', job });
      expect(await store.read(job.id)).toEqual(job);
    });

    it.each(finals({ expiresAt: t0 + 60_000 }))('replaces a final record from its TTL on: $state', async (shape) => {
      const { store } = await make();
      const old = await seeded(store, { ...shape, ...identity() });
      const next = queued({ id: old.id, key: old.key, slot: slotOf(old.id) });
      expect(await store.insert(next, old.expiresAt - 1)).toEqual({ kind: 'exists', job: old });
      expect(await store.insert(next, old.expiresAt)).toEqual({ kind: 'inserted' });
      expect(await store.read(old.id)).toEqual(next);
    });

    it.each([queued(), running(), retrying(), dead()])(
      'never replaces one that is not final: $state',
      async (shape) => {
        const { store } = await make();
        const old = await seeded(store, { ...shape, ...identity() });
        const next = queued({ id: old.id, slot: slotOf(old.id) });
        expect(await store.insert(next, t0 + 400 * 86_400_000)).toEqual({ kind: 'exists', job: old });
      },
    );

    it('lets one of several submissions in', async () => {
      const { store } = await make();
      const job = queued(identity());
      const rivals = Array.from({ length: 6 }, () => ({ ...job, slot: slotOf(job.id) }));
      const results = await Promise.all(rivals.map((rival) => store.insert(rival, t0)));
      expect(count(results, { kind: 'inserted' })).toBe(1);
      const winner = rivals[results.findIndex((result) => result.kind === 'inserted')];
      expect(await store.read(job.id)).toEqual(winner);
    });

    it('recognises its own insert when the first answer was lost', async () => {
      const { store, repeating } = await make();
      const job = queued(identity());
      expect(await repeating().insert(job, t0)).toEqual({ kind: 'inserted' });
      expect(await store.read(job.id)).toEqual(job);
    });

    it('recognises it also when the job has moved on meanwhile', async () => {
      const { store, repeating } = await make();
      const job = queued(identity());
      const cancelled = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      const between = async () => void (await store.save(job, cancelled));
      expect(await repeating(between).insert(job, t0)).toEqual({ kind: 'inserted' });
      expect(await store.read(job.id)).toEqual(asStored(cancelled));
    });
  });

  describe('readMany', () => {
    it('leaves out what is absent and takes an id that is named twice', async () => {
      const { store } = await make();
      const one = await seeded(store, queued(identity()));
      const two = await started(store);
      const found = await store.readMany([two.id, one.id, identity().id, one.id]);
      expect(new Map(found)).toEqual(new Map([one, two].map((job) => [job.id, job])));
    });

    it('reads nothing of nothing, and 100 at once', async () => {
      const { store } = await make();
      expect((await store.readMany([])).size).toBe(0);
      const jobs = Array.from({ length: bounds.idsMax }, () => queued(identity()));
      await Promise.all(jobs.map((job) => seeded(store, job)));
      expect((await store.readMany(jobs.map((job) => job.id))).size).toBe(bounds.idsMax);
    });
  });

  describe('payload items', () => {
    it('keeps a payload of the greatest size under its token', async () => {
      const { store } = await make();
      const [mine, others] = [slotOf(identity().id).token, slotOf(identity().id).token];
      const payload = JSON.stringify('p'.repeat(bounds.payloadBytes - 2));
      await store.writePayload(mine, payload);
      await store.writePayload(mine, payload);
      expect(await store.readPayload(mine)).toBe(payload);
      expect(await store.readPayload(others)).toBeUndefined();
    });

    it('deletes one, also when it is not there', async () => {
      const { store } = await make();
      const { token } = slotOf(identity().id);
      await store.deletePayload(token);
      await store.writePayload(token, '1');
      await store.deletePayload(token);
      expect(await store.readPayload(token)).toBeUndefined();
    });

    it('can be read after its job has ended', async () => {
      const { store } = await make();
      const own = identity();
      const job = await seeded(store, queued({ ...own, payload: { item: own.slot.token } }));
      await store.writePayload(own.slot.token, '{"a":1}');
      const cancelled = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      expect(await store.save(job, cancelled)).toEqual({ kind: 'saved' });
      expect(await store.readPayload(own.slot.token)).toBe('{"a":1}');
    });
  });
};
