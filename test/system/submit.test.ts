import { beforeAll, describe, expect } from 'vitest';
import { anotherCaller } from '#test/support/system/caller.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectProblem } from '#test/support/system/problem.ts';
import { api, backlog, jobIn, ledger, purgeQueue, reconcile, record, reset } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe('POST /jobs accepts', () => {
  test('202 with Location and the job; it succeeds, and GET shows it with payload, result and history', async ({
    own,
  }) => {
    const payload = { account: own.account(), amount: 7 };
    const answer = await api.submit(own.key(), 'ledger.credit', payload);
    expect(answer.status).toBe(202);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('location')).toBe(`/jobs/${answer.body.id}`);
    expect(answer.headers.get('idempotency-replayed')).toBeNull();
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      type: 'ledger.credit',
      key: own.key(),
      state: 'queued',
      attempt: 0,
      attemptsMax: 3,
      starts: 0,
      tenant: expect.stringMatching(/./),
      submittedAt: time,
      updatedAt: time,
      redrives: 0,
      history: [{ at: time, event: 'accept' }],
    });

    const job = await jobIn(answer.body.id, 'succeeded');
    expect(job).toEqual({
      ...answer.body,
      state: 'succeeded',
      attempt: 1,
      starts: 1,
      updatedAt: time,
      result: { credited: 7 },
      payload,
      history: [
        { at: time, event: 'accept' },
        { at: time, event: 'start', attempt: 1 },
        { at: time, event: 'succeed', attempt: 1 },
      ],
    });
    expect(await ledger(own.account())).toEqual({ total: 7, writes: 1 });
  });

  test('G4: the same key and request again is 200 with Idempotency-Replayed and the same job', async ({ own }) => {
    const payload = { account: own.account(), amount: 2 };
    const first = await api.submit(own.key(), 'ledger.credit', payload);
    await jobIn(first.body.id, 'succeeded');
    const again = await api.submit(own.key(), 'ledger.credit', payload);
    expect(again.status).toBe(200);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(`/jobs/${first.body.id}`);
    expect(again.body).toMatchObject({ id: first.body.id, state: 'succeeded', result: { credited: 2 } });
    expect(await ledger(own.account())).toEqual({ total: 2, writes: 1 });
  });

  test('G4: the same request in another spelling is the same: order of members, 3.0 for 3, options {} for none', async ({
    own,
  }) => {
    const account = own.account();
    const first = await api.submit(own.key(), 'ledger.credit', { account, amount: 3 });
    const spelled = `{"options":{}, "payload": {"amount":3.0,"account":"${account}"},"type":"ledger.credit"}`;
    const again = await api.call('POST', '/jobs', spelled, { 'idempotency-key': own.key() });
    expect(again.status).toBe(200);
    expect(again.body.id).toBe(first.body.id);
  });

  test('G4: the same key with another request is 422, and nothing changes', async ({ own }) => {
    const account = own.account();
    const first = await api.submit(own.key(), 'ledger.credit', { account, amount: 5 });
    await jobIn(first.body.id, 'succeeded');
    const before = await record(first.body.id);
    expectProblem(await api.submit(own.key(), 'ledger.credit', { account, amount: 6 }), 422, 'idempotency-conflict');
    expectProblem(
      await api.submit(own.key(), 'ledger.credit', { account, amount: 5 }, { delaySeconds: 0 }),
      422,
      'idempotency-conflict',
    );
    expect(await record(first.body.id)).toEqual(before);
    expect(await ledger(account)).toEqual({ total: 5, writes: 1 });
  });

  test('G4: the same key under another type is another job', async ({ own }) => {
    const payload = { account: own.account(), amount: 4 };
    const credit = await api.submit(own.key(), 'ledger.credit', payload);
    const scripted = await api.submit(own.key(), 'test.scripted', payload);
    expect([credit.status, scripted.status]).toEqual([202, 202]);
    expect(scripted.body.id).not.toBe(credit.body.id);
  });

  test('a quoted key and a bare one are the same, and header names have any case', async ({ own }) => {
    const body = JSON.stringify({ type: 'ledger.credit', payload: { account: own.account(), amount: 1 } });
    const type = { 'CONTENT-TYPE': 'application/json; charset=UTF-8' };
    const quoted = await api.raw('POST', '/jobs', { body, headers: { ...type, 'IDEMPOTENCY-KEY': `"${own.key()}"` } });
    const bare = await api.raw('POST', '/jobs', {
      body,
      headers: { 'Content-type': 'Application/JSON', 'idempotency-Key': own.key() },
    });
    expect([quoted.status, bare.status]).toEqual([202, 200]);
    expect(bare.body.id).toBe(quoted.body.id);
    expect(quoted.body.key).toBe(own.key());
  });

  test('every character and length of keys is taken', async ({ own }) => {
    // Such keys cannot carry the test's name, but a caller who is new has never used them.
    const caller = await anotherCaller();
    for (const key of ['a', 'A-Z_0.9:z', 'k'.repeat(64)]) {
      const answer = await caller.submit(key, 'ledger.credit', { account: own.account(), amount: 1 });
      expect(answer.status).toBe(202);
      expect(answer.body.key).toBe(key);
    }
  });

  test.for([
    { deadlineSeconds: 1 },
    { deadlineSeconds: 1_209_600 },
    { waitBudgetSeconds: 0 },
    { waitBudgetSeconds: 43_200 },
    { delaySeconds: 0, deadlineSeconds: 60, waitBudgetSeconds: 60 },
  ])('options at their bounds are taken: %o', async (options, { own }) => {
    const answer = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 }, options);
    expect(answer.status).toBe(202);
    const { submittedAt, deadlineAt } = answer.body;
    if (options.deadlineSeconds === undefined) expect(deadlineAt).toBeUndefined();
    else expect(Date.parse(deadlineAt)).toBe(Date.parse(submittedAt) + options.deadlineSeconds * 1000);
  });

  test('the longest delay is taken, and a deadline before its end expires the job', async ({ own }) => {
    const options = { delaySeconds: 900, deadlineSeconds: 1 };
    const answer = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 }, options);
    expect(answer.status).toBe(202);
    const { id, submittedAt, nextAttemptAt } = answer.body;
    expect(Date.parse(nextAttemptAt)).toBe(Date.parse(submittedAt) + 900_000);
    await eventually(async () => {
      await reconcile();
      expect((await api.job(id)).body).toMatchObject({ state: 'expired', starts: 0 });
    });
    // Its message would lie in the queue for a quarter of an hour.
    await eventually(async () => expect(await backlog()).toBe(1));
    await purgeQueue();
    expect(await ledger(own.account())).toBeUndefined();
  });

  test.for([1, Number.MAX_SAFE_INTEGER])('an amount at its bound is credited exactly: %i', async (amount, { own }) => {
    const answer = await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount });
    await jobIn(answer.body.id, 'succeeded');
    expect(await ledger(own.account())).toEqual({ total: amount, writes: 1 });
  });
});

describe('GET /jobs/{id}', () => {
  test('404 for an id that nobody has, in the form of one or not', async () => {
    for (const id of ['0'.repeat(32), 'nothing', 'control', 'reconciler']) {
      expectProblem(await api.job(id), 404, 'job-not-found');
      expectProblem(await api.operatorJob(id), 404, 'job-not-found');
    }
    for (const id of ['slots%230', `payload%23${'0'.repeat(52)}`]) {
      expect((await api.job(id)).status).toBe(404);
      expect((await api.operatorJob(id)).status).toBe(404);
    }
  });

  test('an operator sees the same job under /operator/jobs/{id}', async ({ own }) => {
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 9 })).body;
    const job = await jobIn(id, 'succeeded');
    const seen = await api.operatorJob(id);
    expect(seen.status).toBe(200);
    expect(seen.body).toEqual(job);
  });
});
