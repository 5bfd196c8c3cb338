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
  sendRawAll,
  settled,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const strayOf = (reason: string) => ({
  id: expect.stringMatching(/^stray-[0-9a-f]{32}$/),
  stray: true,
  reason,
  receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
});

const straysFor = async (reason: string): Promise<{ id: string }[]> =>
  (await api.dead({ reason, limit: '100' })).body.jobs.filter((entry: { stray?: true }) => entry.stray);

/** Sends a body and waits for the one new stray that it must become, with its message unchanged in the dead-letter queue. */
const expectStray = async (body: string, reason: string, send: () => Promise<void>): Promise<void> => {
  const before = new Set((await straysFor(reason)).map(({ id }) => id));
  const count = (await api.status()).body.dead;
  await send();
  const [stray] = await eventually(async () => {
    await reconcile();
    const fresh = (await straysFor(reason)).filter(({ id }) => !before.has(id));
    expect(fresh).toEqual([strayOf(reason)]);
    return fresh;
  });
  await eventually(async () => expect((await deadLettersOf(body)).map((message) => message.body)).toEqual([body]));
  expect((await api.status()).body.dead).toBe(count + 1);
  // Looking at it again, by whoever comes across it, makes no second one.
  await reconcile();
  expect((await straysFor(reason)).filter(({ id }) => !before.has(id))).toEqual([stray]);
  await settled();
};

const fingerprint = 'f'.repeat(64);

/** Bodies that belong to no job; each carries its test's name, so that it is found again. */
const strays: readonly (readonly [string, string, (name: string) => string])[] = [
  ['a text that is no JSON', 'unreadable', (name) => `not json ${name}`],
  ['JSON that is no message', 'unreadable', (name) => JSON.stringify({ hello: name })],
  ['a message with an odd id', 'unreadable', (name) => JSON.stringify({ v: 1, id: name, fingerprint, tenure: 0 })],
  ['a body that is far too long', 'unreadable', (name) => `${name} ${'x'.repeat(100_000)}`],
  ['a version that is not known yet', 'unknown-version', (name) => JSON.stringify({ v: 2, job: name })],
  [
    'an id that no job has',
    'unknown-job',
    (name) => JSON.stringify({ v: 1, id: idFrom(name), fingerprint, tenure: 0 }),
  ],
];
const idFrom = (name: string) => Buffer.from(name).toString('hex').slice(0, 32).padEnd(32, '0');

describe('a message that belongs to no job is listed as a stray and kept', () => {
  test.for(strays)('%s: %s', async ([, reason, bodyOf], { own }) => {
    const body = bodyOf(own.key());
    await expectStray(body, reason, () => sendRaw(body));
  });

  test.for(strays)('the same put straight into the dead-letter queue: %s: %s', async ([, reason, bodyOf], { own }) => {
    const body = bodyOf(own.key());
    await expectStray(body, reason, () => sendRaw(body, { to: outputs.deadLetterQueueUrl }));
  });

  test('a forged fingerprint, or a tenure that is still to come, never touches the job', async ({ own }) => {
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 2 })).body;
    await jobIn(id, 'succeeded');
    const before = await record(id);
    const forged = JSON.stringify({ v: 1, id, fingerprint, tenure: 0 });
    await expectStray(forged, 'forged', () => sendRaw(forged));
    const early = JSON.stringify({ ...JSON.parse(await messageOf(id)), tenure: 1 });
    await expectStray(early, 'forged', () => sendRaw(early));
    expect(await record(id)).toEqual(before);
    expect(await ledger(own.account())).toEqual({ total: 2, writes: 1 });
  });

  test('a forged message ahead of the true one: the job runs once all the same', async ({ own }) => {
    await pauseConsumer();
    const { id } = (await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 3 })).body;
    const forged = JSON.stringify({ v: 1, id, fingerprint, tenure: 0 });
    await sendRawAll([forged, forged]);
    await resumeConsumer();
    expect(await jobIn(id, 'succeeded')).toMatchObject({ attempt: 1, starts: 1 });
    await settled();
    expect(await ledger(own.account())).toEqual({ total: 3, writes: 1 });
  });

  test('a stray is not redriven', async ({ own }) => {
    const body = `not json ${own.key()}`;
    await expectStray(body, 'unreadable', () => sendRaw(body));
    const [stray] = await straysFor('unreadable');
    const { body: answer } = await api.redrive({ ids: [stray?.id] });
    expect(answer).toMatchObject({ moved: 0, skipped: [{ id: stray?.id, code: 'job-not-found' }] });
  });
});

test('case 13: one bad record among ten: nine succeed, each at its first start', async ({ own }) => {
  await pauseConsumer();
  const ids: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    if (n === 4) await sendRaw(`not json ${own.key()}`);
    ids.push((await api.submit(own.key(n), 'ledger.credit', { account: own.account(), amount: 1 })).body.id);
  }
  await resumeConsumer();
  await settled();
  for (const id of ids) expect((await api.job(id)).body).toMatchObject({ state: 'succeeded', starts: 1 });
  expect(await ledger(own.account())).toEqual({ total: 9, writes: 9 });
  expect(await deadLettersOf(own.key())).toHaveLength(1);
});
