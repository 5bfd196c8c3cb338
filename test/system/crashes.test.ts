import { beforeAll, describe, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  deadLettersOf,
  jobIn,
  ledger,
  pauseConsumer,
  reconcile,
  reset,
  resumeConsumer,
  settled,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

/*
 * A worker that ends takes its whole batch with it: SQS shows those messages again only when their visibility is over,
 * 18 s here. The reconciler recovers the records long before, so it runs by hand while the tests wait.
 */
const patient = { withinMs: 100_000, everyMs: 500 };

const whileReconciling = (check: () => Promise<void>) =>
  eventually(async () => {
    await reconcile();
    await check();
  }, patient);

describe('a worker that ends', () => {
  test('G5, G6: a job whose first start was lost is recovered, waits, and succeeds once at its second', async ({
    own,
  }) => {
    const { id } = (await api.submit(own.key(), 'test.scripted', { account: own.account(), amount: 3, exit: 1 })).body;
    await whileReconciling(async () => expect((await api.job(id)).body.state).toBe('succeeded'));
    const { body } = await api.job(id);
    expect(body).toMatchObject({ attempt: 2, starts: 2 });
    const events = body.history.map((entry: { event: string }) => entry.event);
    // It may be marked as stale while its message is still hidden.
    expect(events.filter((event: string) => event !== 'stale')).toEqual([
      'accept',
      'start',
      'recover',
      'start',
      'succeed',
    ]);
    expect(body.history[2]).toMatchObject({ attempt: 1, detail: { code: 'worker-lost', waitSeconds: 1 } });
    await settled();
    expect(await ledger(own.account())).toEqual({ total: 3, writes: 1 });
  }, 120_000);

  test('G5: of ten jobs in a batch one ends every worker: nine succeed once, the killer is dead as worker-lost after three starts', async ({
    own,
  }) => {
    await pauseConsumer();
    const submit = async (n: number) => {
      const payload = { account: own.account(n), amount: 2, ...(n === 4 && { exit: 99 }) };
      return (await api.submit(own.key(n), 'test.scripted', payload)).body.id as string;
    };
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push(await submit(n));
    const killer = ids[4] ?? '';
    const neighbours = ids.filter((id) => id !== killer);
    await resumeConsumer();

    await whileReconciling(async () => {
      expect((await api.job(killer)).body).toMatchObject({ state: 'dead', reason: { code: 'worker-lost' } });
      for (const id of neighbours) expect((await api.job(id)).body.state).toBe('succeeded');
    });
    expect((await api.job(killer)).body).toMatchObject({ attempt: 3, starts: 3 });
    expect(await ledger(own.account(4))).toBeUndefined();
    for (const [n, id] of ids.entries()) {
      if (id === killer) continue;
      // One that had started beside the killer has lost that start; suspects run alone, so it is the only one.
      expect((await jobIn(id, 'succeeded')).starts).toBeLessThanOrEqual(2);
      expect(await ledger(own.account(n))).toEqual({ total: 2, writes: 1 });
    }
    await whileReconciling(async () => {
      expect((await api.status()).body.inFlight.total).toBe(0);
      expect(await deadLettersOf(killer)).toHaveLength(1);
    });
    await settled();
    await whileReconciling(async () => {
      for (const id of neighbours) expect(await deadLettersOf(id)).toEqual([]);
    });
  }, 220_000);
});
