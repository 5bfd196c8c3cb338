import { beforeAll, describe, expect } from 'vitest';
import { anotherCaller } from '#test/support/system/caller.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectProblem } from '#test/support/system/problem.ts';
import {
  api,
  backlog,
  jobIn,
  ledger,
  pauseConsumer,
  reset,
  resumeConsumer,
  settled,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const cancel = (id: string, caller = api) => caller.call('POST', `/jobs/${id}/cancel`);

describe('POST /jobs/{id}/cancel', () => {
  test('a queued job is cancelled at once: its slot is free when the answer comes, and its message never runs', async ({
    own,
  }) => {
    await pauseConsumer();
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    const answer = await cancel(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ id, state: 'cancelled', starts: 0 });
    expect((await api.status()).body.inFlight.total).toBe(0);
    await resumeConsumer();
    await eventually(async () => expect(await backlog()).toBe(0));
    expect(await ledger(own.account())).toBeUndefined();
    expect((await cancel(id)).status).toBe(200);
    // The key stays the job's: a repetition shows what became of it.
    const replay = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 });
    expect([replay.status, replay.body.state]).toEqual([200, 'cancelled']);
  });

  test('a retrying job is cancelled at once, and its wait leads nowhere', async ({ own }) => {
    const payload = { account: own.account(), amount: 1, failBefore: 99 };
    const { id } = (await api.submit(own.key(), 'test.scripted', payload)).body;
    await jobIn(id, 'retrying');
    const answer = await cancel(id);
    // Its next attempt may have begun in between; the request then ends it at its finish.
    expect([200, 202]).toContain(answer.status);
    const job = await jobIn(id, 'cancelled');
    expect(job.starts).toBeLessThan(3);
    await settled();
  });

  test('a running job is told, and ends as cancelled at its finish: the effect does not come', async ({ own }) => {
    const payload = { account: own.account(), amount: 1, hangSeconds: 1.2 };
    const { id } = (await api.submit(own.key(), 'test.scripted', payload)).body;
    await jobIn(id, 'running');
    await eventually(async () =>
      expect((await api.job(id)).body.progress).toEqual({ done: 0, total: 1.2, note: 'hanging as told' }),
    );
    const answer = await cancel(id);
    expect(answer.status).toBe(202);
    expect(answer.body).toMatchObject({ id, state: 'running', cancelRequested: true });
    const job = await jobIn(id, 'cancelled');
    expect(job.history.map((entry: { event: string }) => entry.event)).toEqual([
      'accept',
      'start',
      'cancel-request',
      'cancel',
    ]);
    expect(await ledger(own.account())).toBeUndefined();
    await settled();
  });

  test('a job that has ended otherwise is not in flight: 409', async ({ own }) => {
    const done = (await api.submit(own.key(1), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    const dead = (await api.submit(own.key(2), 'test.scripted', { account: own.account(), amount: 1, permanent: true }))
      .body;
    await jobIn(done.id, 'succeeded');
    await jobIn(dead.id, 'dead');
    expectProblem(await cancel(done.id), 409, 'not-in-flight');
    expectProblem(await cancel(dead.id), 409, 'not-in-flight');
  });

  test('another caller finds no such job, an operator cancels any', async ({ own }) => {
    await pauseConsumer();
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    const stranger = await anotherCaller();
    expectProblem(await cancel(id, stranger), 404, 'job-not-found');
    expectProblem(await cancel('0'.repeat(32)), 404, 'job-not-found');
    const answer = await api.call('POST', `/operator/jobs/${id}/cancel`);
    expect([answer.status, answer.body.state]).toEqual([200, 'cancelled']);
  });

  test('cancel against finish, 60 times: cancelled without an effect or succeeded with one, never both', async ({
    own,
  }) => {
    const jobs = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        const account = own.account(i);
        const { id } = (await api.submit(own.key(i), 'ledger.credit', { account, amount: 1 })).body;
        const { status } = await cancel(id);
        return { id, account, status };
      }),
    );
    await settled();
    for (const { id, account, status } of jobs) {
      const { state } = (await api.job(id)).body;
      const effects = (await ledger(account))?.writes ?? 0;
      expect([state, effects]).toEqual(effects === 1 ? ['succeeded', 1] : ['cancelled', 0]);
      if (status === 200) expect(state).toBe('cancelled');
      if (status === 409) expect(state).toBe('succeeded');
    }
  });
});
