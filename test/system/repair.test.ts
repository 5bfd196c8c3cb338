import { beforeAll, describe, expect } from 'vitest';
import { tokenJobId } from '#core/slot.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  backlog,
  deadLettersOf,
  jobIn,
  ledger,
  messageOf,
  outputs,
  pauseConsumer,
  purgeQueue,
  reconcile,
  record,
  reset,
  resumeConsumer,
  sendRaw,
  settled,
  tamper,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const submit = async (key: string, account: string, options?: object): Promise<string> => {
  const answer = await api.submit(key, 'ledger.credit', { account, amount: 6 }, options);
  expect(answer.status).toBe(202);
  return answer.body.id;
};

/** As if it had been sent that long ago. */
/** What waited for a paused consumer is not missing; this lets the reconciler forget that it was. */
const forgetPause = () => tamper('reconciler', { UpdateExpression: 'REMOVE pausedAt' });

const backdate = async (id: string, seconds: number): Promise<void> => {
  const sentAt = String(Date.now() - seconds * 1000);
  await tamper(id, {
    UpdateExpression: 'SET #sentAt = :sentAt',
    ExpressionAttributeNames: { '#sentAt': 'sentAt' },
    ExpressionAttributeValues: { ':sentAt': { N: sentAt } },
  });
};

const addToken = (shard: number, token: Uint8Array): Promise<void> =>
  tamper(`slots#${shard}`, {
    UpdateExpression: 'ADD #members :tokens',
    ExpressionAttributeNames: { '#members': 'members' },
    ExpressionAttributeValues: { ':tokens': { BS: [token] } },
  });

const members = async (shard: number): Promise<string[]> =>
  [...(((await record(`slots#${shard}`))?.['members'] ?? []) as Iterable<Uint8Array>)].map((token) =>
    Buffer.from(token).toString('hex'),
  );

const tokenOf = (id: string, madeAtMs: number): Uint8Array =>
  Uint8Array.from(Buffer.from(`${id}${'ab'.repeat(6)}${Math.floor(madeAtMs / 1000).toString(16)}`, 'hex'));

describe('slots', () => {
  test('G8: one that no record carries is freed once it is old, and left alone while a request could still bring its record', async ({
    own,
  }) => {
    const id = Buffer.from(own.key()).toString('hex').slice(0, 32);
    const old = tokenOf(id, Date.now() - 35_000);
    const young = tokenOf(id, Date.now());
    await addToken(0, old);
    await addToken(0, young);
    expect((await api.status()).body.inFlight).toMatchObject({ total: 2, queued: 0, running: 0, retrying: 0 });
    await eventually(async () => {
      await reconcile();
      expect((await members(0)).map(tokenJobId)).toEqual([id]);
    });
    expect(await members(0)).toEqual([Buffer.from(young).toString('hex')]);
    await tamper('slots#0', {
      UpdateExpression: 'DELETE #members :tokens',
      ExpressionAttributeNames: { '#members': 'members' },
      ExpressionAttributeValues: { ':tokens': { BS: [young] } },
    });
  });

  test('G8: one of a job that has ended is freed within two runs of the reconciler', async ({ own }) => {
    const id = await submit(own.key(), own.account());
    await jobIn(id, 'succeeded');
    await settled();
    const job = await record(id);
    await addToken(Number(job?.['shard']), job?.['token'] as Uint8Array);
    expect((await api.status()).body.inFlight.total).toBe(1);
    await reconcile();
    await reconcile();
    expect((await api.status()).body.inFlight.total).toBe(0);
  });

  test('G8: one of a job that has ended is freed by any message of it too', async ({ own }) => {
    const id = await submit(own.key(), own.account());
    await jobIn(id, 'succeeded');
    await settled();
    const job = await record(id);
    await addToken(Number(job?.['shard']), job?.['token'] as Uint8Array);
    await sendRaw(await messageOf(id));
    await settled();
    expect(await ledger(own.account())).toEqual({ total: 6, writes: 1 });
  });
});

describe('messages', () => {
  test('G6: a queued job whose message is gone is sent again, though not while the consumer is paused or before its time', async ({
    own,
  }) => {
    await pauseConsumer();
    const id = await submit(own.key(), own.account());
    await purgeQueue();
    await backdate(id, 3_600);
    await reconcile();
    expect(await backlog()).toBe(0);

    await resumeConsumer();
    await forgetPause();
    await backdate(id, 20);
    await reconcile();
    expect((await api.job(id)).body.state).toBe('queued');

    await backdate(id, 29);
    await eventually(async () => {
      await reconcile();
      expect((await api.job(id)).body.state).toBe('succeeded');
    });
    const { body } = await api.job(id);
    // The message goes out before the record says so, so its start may come first, and the record then needs no word of it.
    const events = body.history.map((entry: { event: string }) => entry.event);
    expect(events.filter((event: string) => event !== 'resend')).toEqual(['accept', 'start', 'succeed']);
    expect(await ledger(own.account())).toEqual({ total: 6, writes: 1 });
  });

  test('case 8: the message of a job that never started is brought back from the dead-letter queue', async ({
    own,
  }) => {
    await pauseConsumer();
    const id = await submit(own.key(), own.account());
    await purgeQueue();
    await sendRaw(await messageOf(id), { to: outputs.deadLetterQueueUrl });
    await backdate(id, 5);
    await eventually(async () => {
      await reconcile();
      expect(await deadLettersOf(id)).toEqual([]);
    });
    await resumeConsumer();
    expect(await jobIn(id, 'succeeded')).toMatchObject({ starts: 1 });
    expect(await ledger(own.account())).toEqual({ total: 6, writes: 1 });
  });

  test('never-started: after five returns without a start the job is dead with that reason', async ({ own }) => {
    await pauseConsumer();
    const id = await submit(own.key(), own.account());
    await purgeQueue();
    for (let returns = 1; returns <= 5; returns += 1) {
      await sendRaw(await messageOf(id), { to: outputs.deadLetterQueueUrl });
      await backdate(id, 5);
      await eventually(async () => {
        await reconcile();
        expect((await record(id))?.['returns']).toBe(returns);
      });
      await purgeQueue();
    }
    await eventually(async () => {
      await reconcile();
      expect((await api.job(id)).body).toMatchObject({ state: 'dead', starts: 0, reason: { code: 'never-started' } });
    });
    expect((await api.status()).body.inFlight.total).toBe(0);
    expect((await api.redrive({ ids: [id] })).body.moved).toBe(1);
    await resumeConsumer();
    await jobIn(id, 'succeeded');
    expect(await ledger(own.account())).toEqual({ total: 6, writes: 1 });
  });

  test('case 10: a dead job whose message is gone is redriven by its id all the same', async ({ own }) => {
    const payload = { account: own.account(), amount: 1, failBefore: 1 };
    const { id } = (await api.submit(own.key(), 'test.scripted', payload, { waitBudgetSeconds: 0 })).body;
    await jobIn(id, 'dead');
    await eventually(async () => expect(await deadLettersOf(id)).toHaveLength(1));
    await purgeQueue(outputs.deadLetterQueueUrl);
    expect((await api.redrive({ ids: [id] })).body.moved).toBe(1);
    await jobIn(id, 'succeeded');
    expect(await ledger(own.account())).toEqual({ total: 1, writes: 1 });
  });

  test('messages of jobs that have ended, or go on under a newer tenure, are cleared from the dead-letter queue', async ({
    own,
  }) => {
    const id = await submit(own.key(), own.account());
    await jobIn(id, 'succeeded');
    await sendRaw(await messageOf(id), { to: outputs.deadLetterQueueUrl });
    await eventually(async () => {
      await reconcile();
      expect(await deadLettersOf(id)).toEqual([]);
    });
  });
});

describe('marks', () => {
  test('a job without progress becomes stale, and is no longer once it moves', async ({ own }) => {
    await pauseConsumer();
    const id = await submit(own.key(), own.account());
    expect((await api.job(id)).body.stale).toBeUndefined();
    const past = String(Date.now() - 60_000);
    await tamper(id, {
      UpdateExpression: 'SET #history[0].#at = :past, #submittedAt = :past',
      ExpressionAttributeNames: { '#history': 'history', '#at': 'at', '#submittedAt': 'submittedAt' },
      ExpressionAttributeValues: { ':past': { N: past } },
    });
    await eventually(async () => {
      await reconcile();
      expect((await api.job(id)).body).toMatchObject({ state: 'queued', stale: true });
    });
    await resumeConsumer();
    expect((await jobIn(id, 'succeeded')).stale).toBeUndefined();
  });
});

describe('payloads of their own', () => {
  test('a payload that lies apart is run, shown, replayed and conflicts like any other', async ({ own }) => {
    // No job of the local stage takes more than 500 bytes, so the payload is moved by hand to where a large one would lie.
    await pauseConsumer();
    const id = await submit(own.key(), own.account());
    const job = await record(id);
    const token = Buffer.from(job?.['token'] as Uint8Array);
    await tamper(`payload#${token.toString('hex')}`, {
      UpdateExpression: 'SET #data = :data',
      ExpressionAttributeNames: { '#data': 'data' },
      ExpressionAttributeValues: { ':data': { S: String(job?.['payload']) } },
    });
    await tamper(id, {
      UpdateExpression: 'SET #payloadOf = :token REMOVE #payload',
      ExpressionAttributeNames: { '#payloadOf': 'payloadOf', '#payload': 'payload' },
      ExpressionAttributeValues: { ':token': { B: token } },
    });
    const payload = { account: own.account(), amount: 6 };
    expect((await api.job(id)).body).toMatchObject({ state: 'queued', payload });
    expect((await api.submit(own.key(), 'ledger.credit', payload)).status).toBe(200);
    await resumeConsumer();
    expect(await jobIn(id, 'succeeded')).toMatchObject({ payload, result: { credited: 6 } });
    expect((await api.submit(own.key(), 'ledger.credit', { ...payload, amount: 7 })).status).toBe(422);
    expect(await ledger(own.account())).toEqual({ total: 6, writes: 1 });
    // Both items go at the same time.
    const expiresAt = (await record(id))?.['expiresAt'];
    expect((await record(`payload#${token.toString('hex')}`))?.['expiresAt']).toBe(expiresAt);
  });
});
