import { DeleteFunctionConcurrencyCommand, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { needs } from '#test/support/engines/needs.ts';
import type { Answer } from '#test/support/system/client.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectQueueFull } from '#test/support/system/problem.ts';
import {
  api,
  backlog,
  deadLettersOf,
  jobIn,
  lambda,
  ledger,
  outputs,
  pauseConsumer,
  purgeQueue,
  reset,
  resumeConsumer,
  sendRawAll,
  settled,
  stageCapacity,
  withCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

/** An instance may trust its last look at the backlog for a second; nothing but time shows that it no longer does. */
const looksAreOld = () => {
  const end = Date.now() + 1_000;
  return eventually(() => expect(Date.now()).toBeGreaterThan(end));
};

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const withStatus = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status);

test('G1, case 12: of 200 parallel submissions against capacity 50 exactly 50 are accepted, 150 refused queue-full', async ({
  own,
}) => {
  await pauseConsumer();
  await withCapacity(50);
  const submit = (n: number) => api.submit(own.key(n), 'ledger.credit', { account: own.account(n % 5), amount: n + 1 });
  const answers = await Promise.all(numbers(200).map(submit));
  const accepted = withStatus(answers, 202);
  const refused = withStatus(answers, 429);
  expect({ accepted: accepted.length, refused: refused.length }).toEqual({ accepted: 50, refused: 150 });
  for (const answer of refused) expectQueueFull(answer);
  // Callers come back at different times.
  expect(new Set(refused.map((answer) => answer.headers.get('retry-after'))).size).toBeGreaterThan(1);

  const { body } = await api.status();
  expect(body).toMatchObject({
    capacity: 50,
    consumer: 'paused',
    inFlight: { total: 50, queued: 50, running: 0, retrying: 0 },
  });
  const n = answers.findIndex((answer) => answer.status === 202);
  const replay = await submit(n);
  expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect(replay.body).toMatchObject({ id: answers[n]?.body.id, state: 'queued' });
  const refusedOne = answers.findIndex((answer) => answer.status === 429);
  expectQueueFull(await submit(refusedOne));

  await resumeConsumer();
  await settled();
  const taken = numbers(200).filter((i) => answers[i]?.status === 202);
  for (const i of taken)
    expect((await api.job(answers[i]?.body.id)).body).toMatchObject({ state: 'succeeded', starts: 1 });
  for (const bucket of numbers(5)) {
    const own5 = taken.filter((i) => i % 5 === bucket);
    const total = own5.reduce((sum, i) => sum + i + 1, 0);
    expect(await ledger(own.account(bucket))).toEqual(own5.length === 0 ? undefined : { total, writes: own5.length });
  }
  // A refused submission has not used up its key.
  const later = await submit(refusedOne);
  expect(later.status).toBe(202);
  await jobIn(later.body.id, 'succeeded');
}, 120_000);

test('a backlog of messages beyond the capacity refuses although no slot is taken; a known key is replayed; then it lets in', async ({
  own,
}) => {
  const payload = { account: own.account(), amount: 1 };
  const known = await api.submit(own.key('known'), 'ledger.credit', payload);
  await jobIn(known.body.id, 'succeeded');
  await settled();
  await pauseConsumer();
  await sendRawAll(numbers(stageCapacity + 1).map((i) => `stray ${own.key(i)}`));

  await looksAreOld();
  expectQueueFull(await api.submit(own.key('new'), 'ledger.credit', payload));
  expect((await api.status()).body).toMatchObject({ inFlight: { total: 0 }, backlog: { visible: stageCapacity + 1 } });
  const replay = await api.submit(own.key('known'), 'ledger.credit', payload);
  expect([replay.status, replay.body.id]).toEqual([200, known.body.id]);

  await purgeQueue();
  const accepted = await eventually(async () => {
    const answer = await api.submit(own.key('new'), 'ledger.credit', payload);
    expect(answer.status).toBe(202);
    return answer;
  });
  await resumeConsumer();
  await jobIn(accepted.body.id, 'succeeded');
  expect(await ledger(own.account())).toEqual({ total: 2, writes: 2 });
});

test('a backlog as large as the capacity, all of it jobs in flight, does not refuse by itself', async ({ own }) => {
  await pauseConsumer();
  await withCapacity(5);
  await looksAreOld();
  for (const n of numbers(5)) {
    expect((await api.submit(own.key(n), 'ledger.credit', { account: own.account(), amount: 1 })).status).toBe(202);
  }
  await eventually(async () => expect(await backlog()).toBe(5));
  await resumeConsumer();
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 5, writes: 5 });
});

test('case 8: 50 jobs with two consumers at most: all succeed at their first start, none is in the dead-letter queue', async ({
  own,
  skip,
}) => {
  // Where there is one consumer at most, nothing is throttled.
  needs({ skip }, 'parallel-batches');
  onTestFinished(async () => {
    await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: outputs.consumerFunctionName }));
  });
  await lambda.send(
    new PutFunctionConcurrencyCommand({ FunctionName: outputs.consumerFunctionName, ReservedConcurrentExecutions: 2 }),
  );
  const answers = await Promise.all(
    numbers(50).map((n) => api.submit(own.key(n), 'ledger.credit', { account: own.account(), amount: 1 })),
  );
  expect(withStatus(answers, 202)).toHaveLength(50);
  await settled();
  for (const { body } of answers) {
    expect((await api.job(body.id)).body).toMatchObject({ state: 'succeeded', starts: 1 });
    expect(await deadLettersOf(body.id)).toEqual([]);
  }
  expect(await ledger(own.account())).toEqual({ total: 50, writes: 50 });
});
