import { beforeAll, describe, expect } from 'vitest';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem, expectProblem } from '#test/support/system/problem.ts';
import {
  api,
  deadLettersOf,
  jobIn,
  ledger,
  outputs,
  pauseConsumer,
  peek,
  reconcile,
  reset,
  resumeConsumer,
  sendRaw,
  settled,
  withCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const batch = (jobs: unknown) => api.call('POST', '/jobs/batch', { jobs });
const statuses = (answer: { body: { results: { status: number }[] } }) => answer.body.results.map((one) => one.status);

describe('POST /jobs/batch', () => {
  test('25 jobs at once: each accepted, each with one effect', async ({ own }) => {
    const jobs = Array.from({ length: 25 }, (_, i) => ({
      key: own.key(i),
      type: 'ledger.credit',
      payload: { account: own.account(), amount: i + 1 },
    }));
    const answer = await batch(jobs);
    expect(answer.status).toBe(200);
    expect(statuses(answer)).toEqual(jobs.map(() => 202));
    expect(answer.body.results.map((one: { job: { key: string } }) => one.job.key)).toEqual(jobs.map((job) => job.key));
    await settled();
    expect(await ledger(own.account())).toEqual({ total: 325, writes: 25 });
    expect(statuses(await batch(jobs))).toEqual(jobs.map(() => 200));
  });

  test('G4: partial success said plainly, in order: wrong ones, a repeated key, another request under it', async ({
    own,
  }) => {
    const job = { key: own.key(), type: 'ledger.credit', payload: { account: own.account(), amount: 1 } };
    const answer = await batch([
      job,
      { ...job, key: undefined },
      { ...job, key: 'no space' },
      { ...job, payload: { account: own.account(), amount: 0 } },
      job,
      { ...job, payload: { account: own.account(), amount: 2 } },
      { ...job, key: own.key('other'), type: 'nothing' },
      'text',
    ]);
    expect(statuses(answer)).toEqual([202, 400, 400, 400, 200, 422, 400, 400]);
    const codes = answer.body.results.map((one: { problem?: { code: string } }) => one.problem?.code);
    expect(codes.slice(1, 4)).toEqual(['missing-idempotency-key', 'invalid-idempotency-key', 'invalid-request']);
    expect(codes[5]).toBe('idempotency-conflict');
    expect(codes[6]).toBe('unknown-job-type');
    await settled();
    expect(await ledger(own.account())).toEqual({ total: 1, writes: 1 });
  });

  test('G1: beyond the capacity the rest is refused, and no slot is left behind', async ({ own }) => {
    await pauseConsumer();
    await withCapacity(40);
    const jobs = (from: number) =>
      Array.from({ length: 25 }, (_, i) => ({
        key: own.key(from + i),
        type: 'ledger.credit',
        payload: { account: own.account(), amount: 1 },
      }));
    const answers = await Promise.all([batch(jobs(0)), batch(jobs(100)), batch(jobs(200))]);
    const all = answers.flatMap(statuses);
    expect(all.filter((status) => status === 202)).toHaveLength(40);
    expect(all.filter((status) => status === 429)).toHaveLength(35);
    expect((await api.status()).body.inFlight.total).toBe(40);
    await resumeConsumer();
    await settled();
    expect(await ledger(own.account())).toEqual({ total: 40, writes: 40 });
  });

  test('bad input', async ({ own }) => {
    const job = { key: own.key(), type: 'ledger.credit', payload: { account: own.account(), amount: 1 } };
    expectFieldProblem(await batch([]), ['/jobs']);
    expectFieldProblem(await batch(Array.from({ length: 26 }, () => job)), ['/jobs']);
    expectFieldProblem(await batch('x'), ['/jobs']);
    expectFieldProblem(await api.call('POST', '/jobs/batch', []), ['']);
    expectProblem(await api.call('POST', '/jobs/batch', 'not json'), 400, 'invalid-request');
  });
});

describe('POST /operator/dead/discard', () => {
  const discard = (body: object) => api.call('POST', '/operator/dead/discard', body);

  test('a dead job is given up: off the list, its key and record kept, its message deleted by the sweep', async ({
    own,
  }) => {
    const payload = { account: own.account(), amount: 1, permanent: true };
    const { id } = (await api.submit(own.key(), 'test.scripted', payload)).body;
    await jobIn(id, 'dead');
    expect((await discard({ ids: [id], dryRun: true })).body).toMatchObject({ moved: 1, dryRun: true });
    await jobIn(id, 'dead');
    expect((await discard({ ids: [id, 'nothing'] })).body).toMatchObject({
      examined: 2,
      moved: 1,
      skipped: [{ id: 'nothing', code: 'job-not-found' }],
    });
    const job = await jobIn(id, 'discarded');
    expect(job.reason.code).toBe('permanent-error');
    expect((await discard({ ids: [id] })).body).toMatchObject({ moved: 0, skipped: [{ id, code: 'not-dead' }] });
    const replay = await api.submit(own.key(), 'test.scripted', payload);
    expect([replay.status, replay.body.state]).toEqual([200, 'discarded']);
    await eventually(async () => {
      await reconcile();
      expect(await deadLettersOf(id)).toEqual([]);
    });
  });

  test('a stray is discarded by its own id, and its message goes with the next sweep', async ({ own }) => {
    const body = `stray of ${own.key()}`;
    await sendRaw(body);
    await eventually(async () => expect(await deadLettersOf(body)).toHaveLength(1));
    const [letter] = (await peek(outputs.deadLetterQueueUrl)).filter((message) => message.body === body);
    const id = letter?.attributes['sluiceStray'] ?? '';
    expect(id).toMatch(/^stray-[0-9a-f]{32}$/);
    expect((await discard({ ids: [id] })).body).toMatchObject({ moved: 1 });
    await eventually(async () => {
      await reconcile();
      expect(await deadLettersOf(body)).toEqual([]);
    });
    const listed = (await api.call('GET', '/operator/dead?limit=100')).body.jobs;
    expect(listed.some((entry: { id: string }) => entry.id === id)).toBe(false);
  });

  test('needs ids, filter or all', async () => {
    expectFieldProblem(await discard({}), ['']);
    expectFieldProblem(await discard({ all: false }), ['']);
    expectFieldProblem(await discard({ ids: [] }), ['/ids']);
  });
});
