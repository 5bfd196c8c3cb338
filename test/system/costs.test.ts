import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createHandler as createApi } from '#functions/api.ts';
import { createHandler as createConsumer } from '#functions/consumer.ts';
import { registry } from '#functions/jobs/registry.ts';
import { localRegistry } from '#test/support/jobs/scripted.ts';
import { deliverAll, post, stubLambda } from '#test/support/system/in-process.ts';
import { test } from '#test/support/system/own.ts';
import { outputs, pauseConsumer, reset, settled, withCapacity } from '#test/support/system/stack.ts';
import { CountingProxy } from '../../bench/proxy.ts';
import { type Tally, tallyOf } from '../../bench/tally.ts';
import { jobCalls, jobUnits } from '../../operator/plan/job-calls.ts';

/*
 * What a job costs, counted between the handlers and the emulator. A change that adds a call or a write unit fails here;
 * times are the bench's business. Looks that happen once a second an instance at most are bounded, all else is exact.
 */
const proxy = new CountingProxy(outputs.endpointUrl);
const api = createApi(registry);
const consumer = createConsumer(registry);
/** The same, with the job that fails as it is told. */
const localApi = createApi(localRegistry);
const localConsumer = createConsumer(localRegistry);

beforeAll(async () => {
  await reset();
  stubLambda(await proxy.open('lambda'));
}, 90_000);
afterAll(() => proxy.close());

const jobs = 10;

const submit = async (key: string, account: string, status: number, instance = api): Promise<void> => {
  const body = { type: 'ledger.credit', payload: { account, amount: 1 } };
  const answer = await post(instance, '/jobs', body, { 'idempotency-key': key });
  expect({ status: answer.statusCode, body: answer.body }).toMatchObject({ status });
};

const counted = async (n: number, work: () => Promise<void>): Promise<Tally> => {
  proxy.take();
  await work();
  return tallyOf(proxy.take(), n, { api: 0, consumer: 0 }, true);
};

/** The looks, apart from the rest: how many there are follows from the clock. */
const looks = ['lambda dynamodb:GetItem', 'lambda dynamodb:BatchGetItem', 'lambda sqs:GetQueueAttributes'];
const withoutLooks = ({ calls }: Tally) =>
  Object.fromEntries(Object.entries(calls).filter(([name]) => !looks.includes(name)));
const looksOf = ({ calls, jobs: n }: Tally) => looks.reduce((sum, name) => sum + (calls[name] ?? 0) * n, 0);

/** The calls of `jobCalls`, as the proxy names those of a Lambda. */
const ofLambda = (calls: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(calls).map(([name, n]) => [`lambda ${name}`, n]));

describe('costs', () => {
  test('of a job: take, put, send; start, finish; the slots of a batch freed together', async ({ own }) => {
    await pauseConsumer();
    // The first one finds an instance that knows nothing yet.
    await submit(own.key('first'), own.account(), 202);

    const submitted = await counted(jobs, async () => {
      for (let i = 0; i < jobs; i += 1) await submit(own.key(i), own.account(), 202);
    });
    expect(withoutLooks(submitted)).toEqual(ofLambda(jobCalls.submit));
    expect(looksOf(submitted)).toBeLessThanOrEqual(6);
    expect(submitted.writeUnits).toEqual({
      table: jobUnits.slot + jobUnits.record,
      tenant: jobUnits.tenantIndex,
      recent: jobUnits.recentIndex,
    });

    const replayed = await counted(1, () => submit(own.key(0), own.account(), 200));
    expect(replayed.calls).toEqual({ 'lambda dynamodb:GetItem': 1 });

    // An instance that has not met the job takes a slot for it and gives it back.
    const elsewhere = createApi(registry);
    const replayedElsewhere = await counted(1, () => submit(own.key(0), own.account(), 200, elsewhere));
    expect(withoutLooks(replayedElsewhere)).toEqual({
      'lambda dynamodb:UpdateItem': 2,
      'lambda dynamodb:PutItem refused': 1,
    });

    const consumed = await counted(jobs + 1, () => deliverAll(consumer, jobs + 1));
    const { 'lambda dynamodb:UpdateItem': updates = 0, ...others } = consumed.calls;
    expect(others).toEqual(ofLambda(jobCalls.finish));
    // Two batches; the slots of each lie in two shards at most, since an instance goes on where it found room.
    expect(updates * (jobs + 1)).toBeGreaterThan(jobs + 1);
    expect(updates * (jobs + 1)).toBeLessThanOrEqual(jobs + 1 + 4);
    // No index is written after submission.
    expect(Object.keys(consumed.writeUnits)).toEqual(['table']);
    const units = jobUnits.start + jobUnits.finish + jobUnits.effect;
    expect(consumed.writeUnitsTotal).toBeGreaterThan(units);
    expect(consumed.writeUnitsTotal).toBeLessThanOrEqual(units + (4 * jobUnits.freeShard) / (jobs + 1));
    expect(consumed.readUnits).toBe(0);
    await settled();
  });

  test('of jobs submitted in bulk: a record each, and shared calls for all else', async ({ own }) => {
    await pauseConsumer();
    const many = Array.from({ length: jobs }, (_, i) => ({
      key: own.key(i),
      type: 'ledger.credit',
      payload: { account: own.account(), amount: 1 },
    }));
    const submitted = await counted(jobs, async () => {
      expect((await post(api, '/jobs/batch', { jobs: many })).statusCode).toBe(200);
    });
    const shared = Object.entries(jobCalls.submitBulk).map(([name, n]) => [name, n / jobs]);
    expect(withoutLooks(submitted)).toEqual(
      ofLambda({ 'dynamodb:PutItem': jobCalls.submit['dynamodb:PutItem'], ...Object.fromEntries(shared) }),
    );
    expect(looksOf(submitted)).toBeLessThanOrEqual(3);
    await deliverAll(consumer, jobs);
    await settled();
  });

  test('of an attempt that fails and is tried again: its start, its end without a transaction, and the wait', async ({
    own,
  }) => {
    await pauseConsumer();
    const scripted = { account: own.account(), amount: 1, failBefore: 1 };
    const answer = await post(
      localApi,
      '/jobs',
      { type: 'test.scripted', payload: scripted },
      {
        'idempotency-key': own.key('fails'),
      },
    );
    expect(answer.statusCode).toBe(202);
    const failed = await counted(1, () => deliverAll(localConsumer, 1, 1));
    expect(failed.calls).toEqual(ofLambda(jobCalls.failedAttempt));
    expect(failed.writeUnits).toEqual({ table: jobUnits.start + jobUnits.failedAttempt });
    await deliverAll(localConsumer, 1);
    await settled();
  });

  test('of a refusal while full: one read, no write', async ({ own }) => {
    await pauseConsumer();
    await submit(own.key('kept'), own.account(), 202);
    await withCapacity(1);
    // These find out that it is full, whatever this instance knew before.
    for (let i = 0; i < 3; i += 1) await submit(own.key(`first-${i}`), own.account(), 429);
    const refusals = 5;
    const refused = await counted(refusals, async () => {
      for (let i = 0; i < refusals; i += 1) await submit(own.key(i), own.account(), 429);
    });
    expect(refused.writeUnitsTotal).toBe(0);
    // The look reads the control item and the one shard.
    expect(refused.readUnits).toBeGreaterThanOrEqual(jobUnits.refusal);
    expect(refused.readUnits).toBeLessThanOrEqual(jobUnits.refusal + 2 / refusals);
    expect(withoutLooks(refused)).toEqual({});
    // One look at the registry and the backlog may fall into it.
    expect(looksOf(refused)).toBeGreaterThanOrEqual(refusals);
    expect(looksOf(refused)).toBeLessThanOrEqual(refusals + 3);
    await deliverAll(consumer, 1);
    await settled();
  });
});
