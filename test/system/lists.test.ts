import { beforeAll, describe, expect } from 'vitest';
import { anotherCaller } from '#test/support/system/caller.ts';
import type { ApiClient } from '#test/support/system/client.ts';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem } from '#test/support/system/problem.ts';
import { api, jobIn, reset } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

interface Listed {
  readonly id: string;
  readonly submittedAt: string;
  readonly payload?: unknown;
}

/** Follows cursors to the end; a page may be short and still have one. */
const pages = async (caller: ApiClient, path: string, query: string): Promise<Listed[]> => {
  const found: Listed[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const answer = await caller.call('GET', `${path}?${query}${cursor ? `&cursor=${cursor}` : ''}`);
    expect(answer.status).toBe(200);
    found.push(...answer.body.jobs);
    cursor = answer.body.cursor;
    if (cursor === undefined) return found;
  }
  throw new Error('a hundred pages, and still a cursor');
};

describe('GET /jobs and GET /operator/jobs', () => {
  test('the caller’s own, newest first, page by page without a gap or a repetition, payloads left out', async ({
    own,
  }) => {
    const caller = await anotherCaller();
    const ids: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      ids.push((await caller.submit(own.key(i), 'ledger.credit', { account: own.account(), amount: 1 })).body.id);
    }
    await api.submit(own.key('stranger'), 'ledger.credit', { account: own.account(), amount: 1 });
    const listed = await pages(caller, '/jobs', 'limit=2');
    expect(listed.map((job) => job.id).sort()).toEqual([...ids].sort());
    const times = listed.map((job) => job.submittedAt);
    expect(times).toEqual(times.toSorted().reverse());
    expect(listed.every((job) => job.payload === undefined)).toBe(true);
  });

  test('by state, type and tenant', async ({ own }) => {
    const caller = await anotherCaller();
    const done = (await caller.submit(own.key(1), 'ledger.credit', { account: own.account(), amount: 1 })).body;
    const dead = (
      await caller.submit(own.key(2), 'test.scripted', { account: own.account(), amount: 1, permanent: true })
    ).body;
    for (const [id, state] of [
      [done.id, 'succeeded'],
      [dead.id, 'dead'],
    ] as const) {
      expect((await caller.call('GET', `/jobs/${id}?waitSeconds=20`)).body.state).toBe(state);
    }
    const ids = async (path: string, query: string, by = caller) => (await pages(by, path, query)).map((job) => job.id);
    expect(await ids('/jobs', 'state=dead')).toEqual([dead.id]);
    expect(await ids('/jobs', 'type=ledger.credit&state=succeeded')).toEqual([done.id]);
    expect(await ids('/jobs', 'state=cancelled')).toEqual([]);
    const tenant = encodeURIComponent(done.tenant);
    expect(await ids('/operator/jobs', `tenant=${tenant}&state=dead`, api)).toEqual([dead.id]);
    const newest = (await api.call('GET', '/operator/jobs?limit=2')).body.jobs.map((job: Listed) => job.id);
    expect(newest).toEqual([dead.id, done.id]);
  });

  test('a cursor belongs to its caller and its query', async ({ own }) => {
    const account = own.account();
    for (const i of [1, 2]) {
      const { id } = (await api.submit(own.key(i), 'ledger.credit', { account, amount: 1 })).body;
      await jobIn(id, 'succeeded');
    }
    const { cursor } = (await api.call('GET', '/jobs?limit=1')).body;
    expect(cursor).toEqual(expect.any(String));
    const stranger = await anotherCaller();
    expectFieldProblem(await stranger.call('GET', `/jobs?limit=1&cursor=${cursor}`), ['query/cursor']);
    expectFieldProblem(await api.call('GET', `/jobs?state=dead&cursor=${cursor}`), ['query/cursor']);
    expectFieldProblem(await api.call('GET', `/operator/jobs?cursor=${cursor}`), ['query/cursor']);
    expectFieldProblem(await api.call('GET', '/jobs?cursor=x'), ['query/cursor']);
    expectFieldProblem(await api.call('GET', '/jobs?limit=0'), ['query/limit']);
    expectFieldProblem(await api.call('GET', '/jobs?limit=101'), ['query/limit']);
    expectFieldProblem(await api.call('GET', '/jobs?state=gone'), ['query/state']);
    expectFieldProblem(await api.call('GET', '/jobs?tenant=x'), ['query/tenant']);
  });
});

describe('GET /jobs/{id}?waitSeconds', () => {
  test('answers as soon as the job has left flight, and at the end of the wait if it has not', async ({ own }) => {
    const { id } = (await api.submit(own.key(), 'test.scripted', { account: own.account(), amount: 1, failBefore: 1 }))
      .body;
    const answer = await api.call('GET', `/jobs/${id}?waitSeconds=20`);
    expect([answer.status, answer.body.state]).toEqual([200, 'succeeded']);
    const later = (
      await api.submit(own.key('later'), 'ledger.credit', { account: own.account(), amount: 1 }, { delaySeconds: 5 })
    ).body;
    const still = await api.call('GET', `/jobs/${later.id}?waitSeconds=1`);
    expect([still.status, still.body.state]).toEqual([200, 'queued']);
    expectFieldProblem(await api.call('GET', `/jobs/${id}?waitSeconds=21`), ['query/waitSeconds']);
    expectFieldProblem(await api.call('GET', `/jobs/${id}?waitSeconds=x`), ['query/waitSeconds']);
    await jobIn(later.id, 'succeeded');
  });
});
