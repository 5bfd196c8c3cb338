import { beforeAll, describe, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  deadLettersOf,
  jobIn,
  ledger,
  messageOf,
  outputs,
  pauseConsumer,
  reconcile,
  record,
  reset,
  resumeConsumer,
  sendRaw,
  settled,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

/* What lies in the queues was written by anybody with the right to send. strays.test.ts has the bodies; here is the rest. */

const text = (StringValue: string) => ({ DataType: 'String', StringValue });

describe('enormous messages', () => {
  // The first can be sent on to the dead-letter queue with its reason; the second is too large for that.
  test.for([
    ['just small enough to be sent on', 255_000],
    ['too large to be sent on', 262_000],
  ] as const)('%s: kept whole, listed, and the job behind it runs', async ([, bytes], { own }) => {
    const body = `${own.key('large')} ${'x'.repeat(bytes)}`;
    const listed = async () => (await api.dead({ reason: 'unreadable', limit: '100' })).body.jobs.length;
    const before = await listed();
    await sendRaw(body);
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    await jobIn(id, 'succeeded');
    await eventually(async () => {
      await reconcile();
      expect((await deadLettersOf(own.key('large'))).map((message) => message.body.length)).toEqual([body.length]);
      expect(await listed()).toBe(before + 1);
    });
    await settled();
  });
});

const oddAttributes = {
  'put-offs that are no number': { sluicePutOffs: text('NaN') },
  'put-offs below zero': { sluicePutOffs: text('-1') },
  'put-offs beyond all numbers': { sluicePutOffs: text('1e999') },
  'put-offs as bytes': { sluicePutOffs: { DataType: 'Binary', BinaryValue: Buffer.from([0xff, 0]) } },
  'put-offs as a number': { sluicePutOffs: { DataType: 'Number', StringValue: '3' } },
  'a reason and a stray that it is not': { sluiceReason: text('forged'), sluiceStray: text('control') },
  'names that objects have': { constructor: text('x'), toString: text('x'), hasOwnProperty: text('x') },
  'as many as SQS takes': Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`a${n}`, text('x'.repeat(500))])),
};

describe('odd attributes decide nothing', () => {
  test('each on a copy of a job’s message, ahead of the true one or behind it: every job runs once', async ({
    own,
  }) => {
    await pauseConsumer();
    const jobs = new Map<string, string>();
    for (const [name, attributes] of Object.entries(oddAttributes)) {
      const account = own.account(jobs.size);
      const { id } = (await api.submit(own.key(jobs.size), 'ledger.credit', { account, amount: 1 })).body;
      await sendRaw(await messageOf(id), { attributes });
      jobs.set(name, id);
    }
    await resumeConsumer();
    await settled();
    for (const [n, [name, id]] of [...jobs].entries()) {
      expect({ name, ...(await jobIn(id, 'succeeded')) }).toMatchObject({ name, starts: 1 });
      expect(await ledger(own.account(n))).toEqual({ total: 1, writes: 1 });
    }
  });

  test('a dead letter that claims to be another item: that item is untouched, and the letter is a stray', async ({
    own,
  }) => {
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    await jobIn(id, 'succeeded');
    const claims = ['control', 'slots#0', 'reconciler', id, 'stray-', `stray-${'0'.repeat(32)}\n`, ''];
    const items = ['control', id, 'slots#0'];
    const before = await Promise.all(items.map(record));
    const listed = async () => (await api.dead({ reason: 'unreadable', limit: '100' })).body.jobs.length;
    const count = await listed();
    for (const claim of claims) {
      const attributes = claim === '' ? {} : { sluiceStray: text(claim) };
      await sendRaw(`not json ${own.key()}`, { to: outputs.deadLetterQueueUrl, attributes });
    }
    await eventually(async () => {
      await reconcile();
      expect(await listed()).toBe(count + claims.length);
    });
    expect(await Promise.all(items.map(record))).toEqual(before);
    expect(await deadLettersOf(own.key())).toHaveLength(claims.length);
  });
});

test('a body that is deep, wide or full of odd names is a stray like any other, and the batch goes on', async ({
  own,
}) => {
  await pauseConsumer();
  const base = { v: 1, id: 'a'.repeat(32), fingerprint: 'b'.repeat(64), tenure: 0 };
  const bodies = [
    `${'['.repeat(50_000)}${']'.repeat(50_000)}`,
    `{${Array.from({ length: 20_000 }, (_, n) => `"n${n}":${n}`).join()}}`,
    JSON.stringify(base).replace('"v":1', '"__proto__":{"v":1}'),
    JSON.stringify(base).replace('"tenure":0', '"tenure":1e999'),
    JSON.stringify({ ...base, id: ['a'.repeat(32)] }),
    JSON.stringify({ ...base, id: 'control' }),
    `\ufeff${JSON.stringify(base)}`,
  ];
  for (const body of bodies) await sendRaw(body);
  const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 })).body;
  const before = (await api.status()).body.dead;
  await resumeConsumer();
  expect(await jobIn(id, 'succeeded')).toMatchObject({ starts: 1 });
  await settled();
  expect((await api.status()).body.dead).toBe(before + bodies.length);
});
