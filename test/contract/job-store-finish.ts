import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import type { JobWrite } from '#core/job-write.ts';
import { creditAccount } from '#functions/jobs/ledger-credit.ts';
import { queued, running, t0 } from '#test/support/core/jobs.ts';
import { asStored, changed, done, finishWith, identity, type StoreUnderTest, seeded, started } from './subjects.ts';

const credit = (account: string, amount = 5) => creditAccount({ account, amount });

const retry = (job: Job & { state: 'running' }, now = t0 + 1_000): Job =>
  changed(job, {
    type: 'finish',
    now,
    owner: job.owner,
    outcome: { kind: 'retry', code: 'timeout', message: 'late', burnsAttempt: true },
    jitter: 0,
  });

const impossible: JobWrite = {
  table: 'ledger',
  key: { account: 'nobody' },
  kind: 'check',
  condition: { expression: 'attribute_exists(#account)', names: { '#account': 'account' } },
};

export const describeFinish = (make: () => Promise<StoreUnderTest>): void => {
  describe('finish', () => {
    it('ends the attempt and lands the effect in one step', async () => {
      const { store, ledgerItem } = await make();
      const job = await started(store);
      const to = done(job);
      expect(await store.finish(job, to, [credit('a'), credit('b', 7)], true)).toEqual({ kind: 'saved' });
      expect(await store.read(job.id)).toEqual(asStored(to));
      expect(await ledgerItem('a')).toEqual({ account: 'a', total: 5, writes: 1 });
      expect(await ledgerItem('b')).toEqual({ account: 'b', total: 7, writes: 1 });
    });

    it.each([
      ['done, with its payload apart', done, true],
      ['retry', retry, false],
    ] as const)('needs no writes: %s', async (_, end, apart) => {
      const { store } = await make();
      const own = identity();
      if (apart) await store.writePayload(own.slot.token, '1');
      const job = await started(store, { ...own, ...(apart && { payload: { item: own.slot.token } }) });
      const to = end(job);
      expect(await store.finish(job, to, [], true)).toEqual({ kind: 'saved' });
      expect(await store.read(job.id)).toEqual(asStored(to));
    });

    it('is fenced by another owner, and nothing of it lands', async () => {
      const { store, ledgerItem } = await make();
      const loser = await started(store);
      const recovered = changed(loser, { type: 'recover', now: loser.leaseUntil + 5_000, jitter: 0 });
      const next = changed(recovered, { type: 'start', now: t0 + 90_000, owner: 'owner-b', leaseUntil: t0 + 150_000 });
      await store.save(loser, next);
      expect(await store.finish(loser, done(loser), [credit('a')], true)).toEqual({ kind: 'fenced', job: next });
      expect(await store.read(loser.id)).toEqual(next);
      expect(await ledgerItem('a')).toBeUndefined();
    });

    it('is fenced once the job has ended or waits again', async () => {
      const { store, ledgerItem } = await make();
      const job = await started(store);
      const waiting = changed(job, { type: 'recover', now: job.leaseUntil + 5_000, jitter: 0 });
      await store.save(job, waiting);
      expect(await store.finish(job, done(job), [credit('a')], false)).toEqual({ kind: 'fenced', job: waiting });
      const cancelled = changed(waiting, { type: 'cancel', now: t0 + 90_000, actor: 'op' });
      await store.save(waiting, cancelled);
      const fenced = await store.finish(job, done(job), [credit('a')], false);
      expect(fenced).toEqual({ kind: 'fenced', job: asStored(cancelled) });
      expect(await ledgerItem('a')).toBeUndefined();
    });

    it('is fenced by a record that is not there, and makes none', async () => {
      const { store } = await make();
      const job = running(identity());
      expect(await store.finish(job, done(job), [], true)).toEqual({ kind: 'fenced', job: undefined });
      expect(await store.finish(job, done(job), [credit('a')], true)).toEqual({ kind: 'fenced', job: undefined });
      expect(await store.read(job.id)).toBeUndefined();
    });

    it.each([[[]], [[credit('a')]]])('stops at a cancel request, with the writes %j', async (writes) => {
      const { store, ledgerItem } = await make();
      const job = await started(store);
      const marked = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      await store.save(job, marked);
      expect(await store.finish(job, done(job), writes, true)).toEqual({ kind: 'cancel-requested' });
      expect(await store.read(job.id)).toEqual(marked);
      expect(await ledgerItem('a')).toBeUndefined();
    });

    it('passes over a cancel request that it is told to pass over, and leaves no mark', async () => {
      const { store } = await make();
      const job = await started(store);
      const marked = changed(job, { type: 'cancel', now: t0, actor: 'op' });
      await store.save(job, marked);
      const to = done(job, t0 + 1_000, true);
      expect(await store.finish(job, to, [], false)).toEqual({ kind: 'saved' });
      const read = await store.read(job.id);
      expect(read).toEqual({ ...asStored(to), rev: read?.rev, history: read?.history });
      expect(read?.history.map((entry) => entry.event)).toEqual(['accept', 'start', 'cancel-request', 'succeed']);
    });

    /*
     *  worker      read rev 2 ─────────────────── finish ─▶ rev 4
     *  reconciler       mark stale: rev 3 ── read ────────────── save on rev 3: must be lost
     */
    it('reaches a revision that nobody has read', async () => {
      const { store } = await make();
      const job = await started(store);
      const marked = changed(job, { type: 'mark-stale', now: t0 });
      await store.save(job, marked);
      expect(await store.finish(job, done(job), [], true)).toEqual({ kind: 'saved' });
      const finished = await store.read(job.id);
      expect(finished).toMatchObject({ state: 'succeeded' });
      expect(finished?.stale).toBeUndefined();
      const recovered = changed(marked, { type: 'recover', now: job.leaseUntil + 5_000, jitter: 0 });
      expect(await store.save(marked, recovered)).toEqual({ kind: 'lost', job: finished });
      expect(await store.read(job.id)).toEqual(finished);
    });

    it("names the first of the handler's conditions that failed, and lands nothing", async () => {
      const { store, ledgerItem } = await make();
      const job = await started(store);
      const result = await store.finish(job, done(job), [credit('a'), impossible, credit('b')], true);
      expect(result).toEqual({ kind: 'condition-failed', index: 1 });
      expect(await store.read(job.id)).toEqual(job);
      expect(await ledgerItem('a')).toBeUndefined();
      expect(await ledgerItem('b')).toBeUndefined();
    });

    it('counts the index from the first write also when the payload lies apart', async () => {
      const { store } = await make();
      const own = identity();
      await store.writePayload(own.slot.token, '1');
      const job = await started(store, { ...own, payload: { item: own.slot.token } });
      const result = await store.finish(job, done(job), [impossible, credit('a')], true);
      expect(result).toEqual({ kind: 'condition-failed', index: 0 });
    });

    it("judges the fence before the handler's conditions", async () => {
      const { store } = await make();
      const job = await seeded(store, queued(identity()));
      const from = changed(job, { type: 'start', now: t0, owner: 'owner-a', leaseUntil: t0 + 60_000 });
      if (from.state !== 'running') throw new Error('the start did not start');
      expect(await store.finish(from, done(from), [impossible], true)).toEqual({ kind: 'fenced', job });
    });

    it.each([[[]], [[credit('a')]]])(
      'lands once when its first answer was lost, with the writes %j',
      async (writes) => {
        const { store, repeating, ledgerItem } = await make();
        const job = await started(store);
        const to = done(job);
        expect(await repeating().finish(job, to, writes, true)).toEqual({ kind: 'saved' });
        expect(await store.finish(job, to, writes, true)).toEqual({ kind: 'saved' });
        expect(await store.read(job.id)).toEqual(asStored(to));
        expect((await ledgerItem('a'))?.['total']).toBe(writes.length === 0 ? undefined : 5);
      },
    );

    it('lets either the finish or the recovery win, never both', async () => {
      const { store, ledgerItem } = await make();
      const job = await started(store);
      const recovered = changed(job, { type: 'recover', now: job.leaseUntil + 5_000, jitter: 0 });
      const [finished, saved] = await Promise.all([
        store.finish(job, done(job), [credit('a')], true),
        store.save(job, recovered),
      ]);
      expect([finished.kind, saved.kind]).toSatisfy(
        ([f, s]) => (f === 'saved' && s === 'lost') || (f !== 'saved' && s === 'saved'),
      );
      expect((await ledgerItem('a'))?.['total']).toBe(finished.kind === 'saved' ? 5 : undefined);
    });

    it.each<[string, readonly JobWrite[]]>([
      ['a table that is not configured', [{ ...credit('a'), table: 'jobs' }]],
      ['two writes on one item', [credit('a'), credit('a')]],
      ['a value that is not given', [withUpdate({ expression: 'SET #a = :a', names: { '#a': 'a' } })]],
    ])('rejects writes that can never land: %s', async (_, writes) => {
      const { store, ledgerItem } = await make();
      const job = await started(store);
      expect(await store.finish(job, done(job), writes, true)).toMatchObject({ kind: 'rejected' });
      expect(await store.read(job.id)).toEqual(job);
      expect(await ledgerItem('a')).toBeUndefined();
    });

    it('rejects an addition to what is no number', async () => {
      const { store } = await make();
      await finishWith(store, [
        withUpdate({ expression: 'SET #total = :t', names: { '#total': 'total' }, values: { ':t': 'x' } }),
      ]);
      expect(await finishWith(store, [credit('a')])).toMatchObject({ kind: 'rejected' });
    });
  });
};

const withUpdate = (update: Extract<JobWrite, { kind: 'update' }>['update']): JobWrite => ({
  table: 'ledger',
  key: { account: 'a' },
  kind: 'update',
  update,
});
