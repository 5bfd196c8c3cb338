import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import { dead, queued, running, t0 } from '#test/support/core/jobs.ts';
import { anyWalk, changes } from '#test/support/core/walks.ts';
import { asStored, changed, count, identity, type StoreUnderTest, seeded, slotOf, started } from './subjects.ts';

export const describeSave = (make: () => Promise<StoreUnderTest>, runs: number): void => {
  describe('save', () => {
    it('holds exactly what transition made, through whole lives', async () => {
      const { store } = await make();
      await fc.assert(
        fc.asyncProperty(anyWalk, async (walk) => {
          const { id } = identity();
          const own = (job: Job): Job => ({ ...job, id });
          await seeded(store, own(walk.admitted));
          for (const step of changes(walk)) {
            expect(await store.save(own(step.before), own(step.after))).toEqual({ kind: 'saved' });
            expect(asStored(await present(store.read(id)))).toEqual(asStored(own(step.after)));
          }
        }),
        { numRuns: runs },
      );
    });

    it('saves two steps that were made at once', async () => {
      const { store } = await make();
      const job = await seeded(store, running({ ...identity(), leaseUntil: t0 - 60_000 }));
      const recovered = changed(job, { type: 'recover', now: t0, jitter: 0 });
      const again = changed(recovered, { type: 'start', now: t0, owner: 'owner-b', leaseUntil: t0 + 60_000 });
      expect(await store.save(job, again)).toEqual({ kind: 'saved' });
      expect(await store.read(job.id)).toEqual(again);
    });

    it('loses against a newer record, shows it and leaves it', async () => {
      const { store } = await make();
      const job = await seeded(store, queued(identity()));
      const stale = changed(job, { type: 'mark-stale', now: t0 });
      expect(await store.save(job, stale)).toEqual({ kind: 'saved' });
      const cancelled = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      expect(await store.save(job, cancelled)).toEqual({ kind: 'lost', job: stale });
      expect(await store.read(job.id)).toEqual(stale);
    });

    it('loses against a start that it did not see', async () => {
      const { store } = await make();
      const job = await started(store);
      const before = queued({ id: job.id, key: job.key, slot: job.slot });
      const unsent = changed(before, { type: 'mark-unsent', now: t0 });
      expect(await store.save(before, unsent)).toEqual({ kind: 'lost', job });
    });

    it('loses against nothing, and makes no record', async () => {
      const { store } = await make();
      const job = queued(identity());
      const cancelled = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      expect(await store.save(job, cancelled)).toEqual({ kind: 'lost', job: undefined });
      expect(await store.read(job.id)).toBeUndefined();
    });

    it('loses against nothing also for a job with a payload item', async () => {
      const { store } = await make();
      const own = identity();
      const job = queued({ ...own, payload: { item: own.slot.token } });
      const cancelled = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      expect(await store.save(job, cancelled)).toEqual({ kind: 'lost', job: undefined });
      expect(await store.read(job.id)).toBeUndefined();
    });

    it('lets one of several redrives win, with its own slot', async () => {
      const { store } = await make();
      const job = await seeded(store, dead(identity()));
      const rivals = Array.from({ length: 5 }, () =>
        changed(job, { type: 'redrive', now: t0, slot: slotOf(job.id), actor: 'op', force: false }),
      );
      const results = await Promise.all(rivals.map((rival) => store.save(job, rival)));
      expect(count(results, { kind: 'saved' })).toBe(1);
      const winner = rivals[results.findIndex((result) => result.kind === 'saved')];
      expect(await store.read(job.id)).toEqual(winner);
      for (const result of results) {
        if (result.kind === 'lost') expect(result.job).toEqual(winner);
      }
    });

    it.each([
      ['in the record', undefined],
      ['in an item of its own', slotOf(identity().id).token],
    ])('recognises itself when the first answer was lost: payload %s', async (_, item) => {
      const { store, repeating } = await make();
      const payload = item === undefined ? {} : { payload: { item } };
      const job = await seeded(store, queued({ ...identity(), ...payload }));
      const cancelled = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      expect(await repeating().save(job, cancelled)).toEqual({ kind: 'saved' });
      expect(await store.read(job.id)).toEqual(asStored(cancelled));
    });

    it('never undoes what came between its first try and its repetition', async () => {
      const { store, repeating } = await make();
      const job = await seeded(store, queued(identity()));
      const unsent = changed(job, { type: 'mark-unsent', now: t0 });
      const sent = changed(unsent, { type: 'mark-sent', now: t0 + 1 });
      await repeating(async () => void (await store.save(unsent, sent))).save(job, unsent);
      expect(await store.read(job.id)).toEqual(sent);
    });
  });
};

const present = async (read: Promise<Job | undefined>): Promise<Job> => {
  const job = await read;
  if (job === undefined) throw new Error('the record is gone');
  return job;
};
