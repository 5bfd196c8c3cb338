import { beforeAll, expect } from 'vitest';
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

interface Entry {
  readonly at: string;
  readonly event: string;
  readonly attempt?: number;
  readonly detail?: Readonly<Record<string, unknown>>;
}

const namesOf = (history: readonly Entry[]) => history.map((entry) => entry.event);

/** The waits between the end of an attempt and the next start, as they really were, in seconds. */
const waits = (history: readonly Entry[]): number[] =>
  history.flatMap((entry, i) => {
    const next = history[i + 1];
    return entry.event === 'retry' && next?.event === 'start'
      ? [(Date.parse(next.at) - Date.parse(entry.at)) / 1000]
      : [];
  });

const submit = async (key: string, payload: object, options?: object): Promise<string> => {
  const answer = await api.submit(key, 'test.scripted', payload, options);
  expect(answer.status).toBe(202);
  return answer.body.id;
};

test('G5: a retryable error is retried after waits of at least 1 and 2 s, and the third start succeeds', async ({
  own,
}) => {
  const id = await submit(own.key(), { account: own.account(), amount: 4, failBefore: 2 });
  const retrying = await jobIn(id, 'retrying');
  expect(Date.parse(retrying.nextAttemptAt)).toBeGreaterThan(Date.parse(retrying.updatedAt));
  const job = await jobIn(id, 'succeeded');
  expect(job).toMatchObject({ attempt: 3, starts: 3 });
  expect(namesOf(job.history)).toEqual(['accept', 'start', 'retry', 'start', 'retry', 'start', 'succeed']);
  expect(job.history.filter((entry: Entry) => entry.event === 'retry').map((entry: Entry) => entry.detail)).toEqual([
    { waitSeconds: 1, code: 'retryable-error', message: 'Retryable: told to fail for now' },
    { waitSeconds: 2, code: 'retryable-error', message: 'Retryable: told to fail for now' },
  ]);
  const [first = 0, second = 0] = waits(job.history);
  expect(first).toBeGreaterThanOrEqual(1);
  expect(second).toBeGreaterThanOrEqual(2);
  expect(job.nextAttemptAt).toBeUndefined();
  expect(await ledger(own.account())).toEqual({ total: 4, writes: 1 });
});

test('G5, G7: what fails always is dead after exactly three starts, its message in the dead-letter queue; redriven, its effect lands once', async ({
  own,
}) => {
  // Fails at the first three starts of its life, which are all that its first tenure has.
  const id = await submit(own.key(), { account: own.account(), amount: 9, failBefore: 3 });
  const dead = await jobIn(id, 'dead');
  expect(dead).toMatchObject({
    attempt: 3,
    starts: 3,
    reason: { code: 'attempts-exhausted', message: expect.stringMatching(/told to fail/) },
  });
  expect(namesOf(dead.history)).toEqual(['accept', 'start', 'retry', 'start', 'retry', 'start', 'dead']);
  await eventually(async () => expect(await deadLettersOf(id)).toHaveLength(1));
  await settled();
  expect((await api.dead({ reason: 'attempts-exhausted' })).body.jobs).toContainEqual(expect.objectContaining({ id }));
  // Whatever the reconciler does in the meantime, a dead job's message stays where it is.
  await reconcile();
  expect(await deadLettersOf(id)).toHaveLength(1);
  expect(await ledger(own.account())).toBeUndefined();

  expect((await api.redrive({ ids: [id] })).body).toMatchObject({ moved: 1 });
  expect(await jobIn(id, 'succeeded')).toMatchObject({ id, key: own.key(), attempt: 1, starts: 4, redrives: 1 });
  expect(await ledger(own.account())).toEqual({ total: 9, writes: 1 });
  await eventually(async () => {
    await reconcile();
    expect(await deadLettersOf(id)).toEqual([]);
  });
});

test('a poisoned job is dead after three starts without ever an effect, and does not hold up its neighbours', async ({
  own,
}) => {
  const poison = await submit(own.key('poison'), { account: own.account('poison'), amount: 1, failBefore: 99 });
  const other = await submit(own.key('other'), { account: own.account('other'), amount: 1 });
  const done = await jobIn(other, 'succeeded');
  const dead = await jobIn(poison, 'dead');
  expect(dead).toMatchObject({ starts: 3, reason: { code: 'attempts-exhausted' } });
  expect(Date.parse(done.updatedAt)).toBeLessThan(Date.parse(dead.updatedAt));
  expect(await ledger(own.account('poison'))).toBeUndefined();
});

test('G5: an error that is not declared retryable kills the job at once, and its message names the reason', async ({
  own,
}) => {
  const id = await submit(own.key(), { account: own.account(), amount: 1, permanent: true });
  const job = await jobIn(id, 'dead');
  expect(job).toMatchObject({ attempt: 1, starts: 1, reason: { code: 'permanent-error' } });
  await eventually(async () =>
    expect(await deadLettersOf(id)).toEqual([
      expect.objectContaining({ attributes: { sluiceReason: 'permanent-error' } }),
    ]),
  );
  expect(await ledger(own.account())).toBeUndefined();
});

test('G3, G5: a handler that hangs and ignores its signal times out, is retried, and has one effect', async ({
  own,
}) => {
  const id = await submit(own.key(), { account: own.account(), amount: 5, hangSeconds: 6 });
  const job = await jobIn(id, 'succeeded');
  expect(job).toMatchObject({ attempt: 2, starts: 2 });
  expect(job.history[2]).toMatchObject({ event: 'retry', detail: { code: 'timeout', waitSeconds: 1 } });
  await settled();
  expect(await ledger(own.account())).toEqual({ total: 5, writes: 1 });
});

test('delaySeconds: no start before it is over', async ({ own }) => {
  const answer = await api.submit(
    own.key(),
    'ledger.credit',
    { account: own.account(), amount: 1 },
    { delaySeconds: 2 },
  );
  expect(Date.parse(answer.body.nextAttemptAt) - Date.parse(answer.body.submittedAt)).toBe(2_000);
  const job = await jobIn(answer.body.id, 'succeeded');
  const [accept, start] = job.history;
  expect(start).toMatchObject({ event: 'start', attempt: 1 });
  expect(Date.parse(start.at) - Date.parse(accept.at)).toBeGreaterThanOrEqual(2_000);
});

test.for([
  [0, 1, 0],
  [1, 2, 1],
  [2, 2, 1],
] as const)(
  'G5: with waitBudgetSeconds %i a job that fails always is dead after %i starts and %i waits',
  async ([waitBudgetSeconds, starts, retries], { own }) => {
    const id = await submit(own.key(), { account: own.account(), amount: 1, failBefore: 99 }, { waitBudgetSeconds });
    const job = await jobIn(id, 'dead');
    expect(job).toMatchObject({ starts, reason: { code: 'wait-budget-exhausted' } });
    expect(waits(job.history)).toHaveLength(retries);
  },
);

test('G5, G6: a deadline that passes while the consumer is paused: the reconciler expires the job, and its slot is free', async ({
  own,
}) => {
  await pauseConsumer();
  const id = await submit(own.key(), { account: own.account(), amount: 1 }, { deadlineSeconds: 1 });
  await eventually(async () => {
    await reconcile();
    expect((await api.job(id)).body.state).toBe('expired');
  });
  expect((await api.status()).body.inFlight.total).toBe(0);
  await resumeConsumer();
  await settled();
  const job = (await api.job(id)).body;
  expect(job).toMatchObject({ state: 'expired', starts: 0 });
  expect(namesOf(job.history)).toEqual(['accept', 'expire']);
  expect(await ledger(own.account())).toBeUndefined();
  expect(await deadLettersOf(id)).toEqual([]);
});

test('G5: a retry that would come at or after the deadline expires the job instead', async ({ own }) => {
  const id = await submit(own.key(), { account: own.account(), amount: 1, failBefore: 99 }, { deadlineSeconds: 2 });
  const job = await jobIn(id, 'expired');
  expect(job.starts).toBeGreaterThanOrEqual(1);
  expect(job.starts).toBeLessThanOrEqual(2);
  await settled();
  expect(await ledger(own.account())).toBeUndefined();
});
