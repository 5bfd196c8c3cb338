import { beforeAll, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  deadLettersOf,
  jobIn,
  ledger,
  messageOf,
  pauseConsumer,
  reconcile,
  reset,
  resumeConsumer,
  sendRaw,
  sendRawAll,
  settled,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const nothingInDeadLetters = (id: string) =>
  eventually(async () => {
    await reconcile();
    expect(await deadLettersOf(id)).toEqual([]);
  });

test('G3, G4: of 20 parallel submissions of one key one is accepted, 19 are replayed: one job, one slot, one effect', async ({
  own,
}) => {
  await pauseConsumer();
  const payload = { account: own.account(), amount: 6 };
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.submit(own.key(), 'ledger.credit', payload)));
  const statuses = answers.map((answer) => answer.status).sort();
  expect(statuses).toEqual([...Array(19).fill(200), 202]);
  const ids = new Set(answers.map((answer) => answer.body.id));
  expect(ids.size).toBe(1);
  expect((await api.status()).body.inFlight).toMatchObject({ total: 1, queued: 1 });
  await resumeConsumer();
  const [id = ''] = ids;
  expect(await jobIn(id, 'succeeded')).toMatchObject({ starts: 1 });
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 6, writes: 1 });
});

test('G4: of 20 parallel submissions of one key with two requests one is accepted, and each of the other request conflicts', async ({
  own,
}) => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 + (i % 2) }),
    ),
  );
  const winner = answers.findIndex((answer) => answer.status === 202);
  const expected = answers.map((_, i) => (i === winner ? 202 : i % 2 === winner % 2 ? 200 : 422));
  expect(answers.map((answer) => answer.status)).toEqual(expected);
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 1 + (winner % 2), writes: 1 });
});

test('G3: one message body sent ten more times, before, during and after: one effect, nothing of it in the dead-letter queue', async ({
  own,
}) => {
  await pauseConsumer();
  const payload = { account: own.account(), amount: 8, failBefore: 1 };
  const { id } = (await api.submit(own.key(), 'test.scripted', payload)).body;
  const body = await messageOf(id);
  await sendRawAll([body, body, body]);
  await resumeConsumer();
  await jobIn(id, 'retrying');
  for (let i = 0; i < 4; i += 1) await sendRaw(body);
  expect(await jobIn(id, 'succeeded')).toMatchObject({ attempt: 2, starts: 2 });
  await sendRawAll([body, body, body]);
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 8, writes: 1 });
  expect((await api.job(id)).body).toMatchObject({ state: 'succeeded', starts: 2 });
  await nothingInDeadLetters(id);
});

test('case 2: while a run is under way its duplicates are put off, and there is one effect', async ({ own }) => {
  const { id } = (await api.submit(own.key(), 'test.scripted', { account: own.account(), amount: 2, hangSeconds: 1 }))
    .body;
  await jobIn(id, 'running');
  const body = await messageOf(id);
  await sendRaw(body);
  await sendRaw(body);
  expect(await jobIn(id, 'succeeded')).toMatchObject({ starts: 1, attempt: 1 });
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 2, writes: 1 });
  await nothingInDeadLetters(id);
});

test('G3: an acknowledgement that is lost, once and twice, brings the message back, and no second effect', async ({
  own,
}) => {
  const ids: string[] = [];
  for (const loseAck of [1, 2]) {
    const payload = { account: own.account(loseAck), amount: 3, loseAck };
    ids.push((await api.submit(own.key(loseAck), 'test.scripted', payload)).body.id);
  }
  await settled();
  for (const [i, id] of ids.entries()) {
    expect((await api.job(id)).body).toMatchObject({ state: 'succeeded', starts: 1, attempt: 1 });
    expect(await ledger(own.account(i + 1))).toEqual({ total: 3, writes: 1 });
    await nothingInDeadLetters(id);
  }
});

test('G3: a message that comes long after the end is acknowledged and frees nothing that is not its own', async ({
  own,
}) => {
  const { id } = (await api.submit(own.key('old'), 'ledger.credit', { account: own.account(), amount: 1 })).body;
  await jobIn(id, 'succeeded');
  await settled();
  await pauseConsumer();
  const other = await api.submit(
    own.key('new'),
    'ledger.credit',
    { account: own.account(), amount: 1 },
    { delaySeconds: 3 },
  );
  await sendRaw(await messageOf(id));
  await resumeConsumer();
  await eventually(async () => expect((await api.status()).body.backlog).toMatchObject({ visible: 0, notVisible: 0 }));
  if ((await api.job(other.body.id)).body.state === 'queued') expect((await api.status()).body.inFlight.total).toBe(1);
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 2, writes: 2 });
});
