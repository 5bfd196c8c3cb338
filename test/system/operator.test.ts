import { beforeAll, describe, expect } from 'vitest';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem, expectQueueFull } from '#test/support/system/problem.ts';
import {
  api,
  jobIn,
  pauseConsumer,
  reset,
  resumeConsumer,
  settled,
  stageCapacity,
  withCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const idle = {
  intake: 'open',
  capacity: stageCapacity,
  inFlight: { total: 0, queued: 0, running: 0, retrying: 0 },
  backlog: { visible: 0, notVisible: 0, delayed: 0 },
  dead: expect.any(Number),
  consumer: 'running',
};

describe('GET /operator/status', () => {
  test('of a system at rest', async () => {
    await settled();
    const answer = await api.status();
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(idle);
  });

  test('splits the jobs in flight by state, and the backlog by what hides it', async ({ own }) => {
    const account = own.account();
    const hanging = (await api.submit(own.key('running'), 'test.scripted', { account, amount: 1, hangSeconds: 100 }))
      .body.id;
    const failing = (await api.submit(own.key('retrying'), 'test.scripted', { account, amount: 1, failBefore: 2 })).body
      .id;
    await jobIn(hanging, 'running');
    await jobIn(failing, 'retrying');
    await pauseConsumer();
    const waiting = await api.submit(own.key('queued'), 'ledger.credit', { account, amount: 1 });
    const delayed = await api.submit(own.key('delayed'), 'ledger.credit', { account, amount: 1 }, { delaySeconds: 8 });
    expect([waiting.status, delayed.status]).toEqual([202, 202]);
    const { body } = await api.status();
    expect(body).toMatchObject({ ...idle, consumer: 'paused', inFlight: { total: 4 }, backlog: { delayed: 1 } });
    const { total, queued, running, retrying } = body.inFlight;
    expect({ queued, others: running + retrying }).toEqual({ queued: 2, others: 2 });
    expect(retrying).toBeGreaterThanOrEqual(1);
    expect(body.backlog.visible + body.backlog.notVisible + body.backlog.delayed).toBe(total);
    await resumeConsumer();
    for (const id of [hanging, failing, waiting.body.id, delayed.body.id]) await jobIn(id, 'succeeded');
    await settled();
  });

  test('the count of the dead grows with each', async ({ own }) => {
    const before = (await api.status()).body.dead;
    const { id } = (
      await api.submit(own.key(), 'test.scripted', { account: own.account(), amount: 1, permanent: true })
    ).body;
    await jobIn(id, 'dead');
    expect((await api.status()).body.dead).toBe(before + 1);
  });
});

describe('POST /operator/capacity', () => {
  test.for([0, -1, 1.5, 100_001, '10', null, true, [10]])(
    '%o is out of bounds: 400, and nothing changes',
    async (capacity) => {
      expectFieldProblem(await api.setCapacity(capacity), ['/capacity']);
      expect((await api.status()).body.capacity).toBe(stageCapacity);
    },
  );

  test('unknown members, and none at all, are refused', async () => {
    expectFieldProblem(await api.call('POST', '/operator/capacity', {}), ['/capacity']);
    expectFieldProblem(await api.call('POST', '/operator/capacity', { capacity: 10, force: true }), ['/force']);
  });

  test('answers 200 with the new status, at both bounds and for a number by its value', async () => {
    await withCapacity(stageCapacity);
    for (const [given, capacity] of [
      ['1', 1],
      ['40.0', 40],
      ['4e1', 40],
    ] as const) {
      const answer = await api.call('POST', '/operator/capacity', `{"capacity":${given}}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        capacity,
        intake: 'open',
        consumer: 'running',
        inFlight: { total: expect.any(Number) },
      });
    }
  });

  test('G1: a capacity is in force once its call has answered: lowered it refuses, raised it lets in', async ({
    own,
  }) => {
    await pauseConsumer();
    await withCapacity(3);
    const submit = (n: number) => api.submit(own.key(n), 'ledger.credit', { account: own.account(), amount: 1 });
    for (const n of [1, 2, 3]) expect((await submit(n)).status).toBe(202);
    expectQueueFull(await submit(4));

    await api.setCapacity(2);
    expectQueueFull(await submit(4));
    expect((await api.status()).body.inFlight.total).toBe(3);

    // A raised one may show up to a second late, where an instance still remembers that it was full.
    await api.setCapacity(4);
    await expect.poll(async () => (await submit(4)).status, { timeout: 5_000 }).toBe(202);
    expectQueueFull(await submit(5));
    await resumeConsumer();
    await settled();
  });
});

describe('POST /operator/consumer', () => {
  test.for(['stopped', '', null, 1, 'RUNNING', ['paused']])('%o is no state of it: 400', async (state) => {
    expectFieldProblem(await api.setConsumer(state), ['/state']);
    expect((await api.status()).body.consumer).toBe('running');
  });

  test('paused twice it is paused, and starts nothing; resumed twice it runs', async ({ own }) => {
    await pauseConsumer();
    const again = await api.setConsumer('paused');
    expect([again.status, again.body.consumer]).toEqual([200, 'paused']);
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    // Another job's whole life would fit in here, were the consumer running: see the status until its count is steady.
    for (let looks = 0; looks < 20; looks += 1) {
      expect((await api.status()).body).toMatchObject({
        consumer: 'paused',
        inFlight: { queued: 1 },
        backlog: { visible: 1 },
      });
    }
    expect((await api.job(id)).body).toMatchObject({ state: 'queued', starts: 0 });

    await resumeConsumer();
    const running = await api.setConsumer('running');
    expect([running.status, running.body.consumer]).toEqual([200, 'running']);
    await jobIn(id, 'succeeded');
  });
});
