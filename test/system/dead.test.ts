import { beforeAll, describe, expect } from 'vitest';
import { anotherCaller } from '#test/support/system/caller.ts';
import type { ApiClient } from '#test/support/system/client.ts';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem } from '#test/support/system/problem.ts';
import { api, jobIn, reset } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

/** Kills so many jobs, one after the other, and returns their ids in the order in which they died. */
const kill = async (caller: ApiClient, keys: readonly string[], account: string): Promise<string[]> => {
  const ids: string[] = [];
  for (const key of keys) {
    const { id } = (await caller.submit(key, 'test.scripted', { account, amount: 1, permanent: true })).body;
    await expect.poll(async () => (await caller.job(id)).body.state, { timeout: 20_000 }).toBe('dead');
    ids.push(id);
  }
  return ids;
};

describe('GET /operator/dead', () => {
  test('lists dead jobs without their payload, with reason, attempts and history', async ({ own }) => {
    const [id = ''] = await kill(api, [own.key()], own.account());
    const { payload, ...job } = await jobIn(id, 'dead');
    expect(payload).toMatchObject({ permanent: true });
    expect(job).toMatchObject({
      attempt: 1,
      starts: 1,
      reason: { code: 'permanent-error', message: expect.stringMatching(/told to fail/) },
    });
    expect(job.history.map((entry: { event: string }) => entry.event)).toEqual(['accept', 'start', 'dead']);
    const { status, body } = await api.dead({ limit: '1' });
    expect(status).toBe(200);
    expect(body.jobs).toEqual([job]);
  });

  test('pages through a tenant with limit and cursor, newest first, each job once', async ({ own }) => {
    const caller = await anotherCaller();
    const ids = await kill(caller, [1, 2, 3, 4, 5, 6, 7].map(own.key), own.account());
    const tenant: string = (await caller.job(ids[0] ?? '')).body.tenant;
    const listed: string[] = [];
    let cursor: string | undefined;
    do {
      const { status, body } = await api.dead({ tenant, limit: '3', ...(cursor && { cursor }) });
      expect(status).toBe(200);
      expect(body.jobs.length).toBeLessThanOrEqual(3);
      listed.push(...body.jobs.map((job: { id: string }) => job.id));
      cursor = body.cursor;
    } while (cursor !== undefined);
    expect(listed).toEqual(ids.toReversed());
  });

  test('filters by reason, type and tenant, together and alone', async ({ own }) => {
    const caller = await anotherCaller();
    const [id = ''] = await kill(caller, [own.key()], own.account());
    const { tenant } = (await caller.job(id)).body;
    const idsOf = async (query: Record<string, string>) =>
      (await api.dead(query)).body.jobs.map((job: { id: string }) => job.id);
    expect(await idsOf({ tenant, reason: 'permanent-error', type: 'test.scripted' })).toEqual([id]);
    expect(await idsOf({ tenant, reason: 'worker-lost' })).toEqual([]);
    expect(await idsOf({ tenant, type: 'ledger.credit' })).toEqual([]);
    expect(await idsOf({ tenant: 'nobody' })).toEqual([]);
    expect(await idsOf({ reason: 'permanent-error', limit: '1' })).toEqual([id]);
  });

  test.for([
    [{ limit: '0' }, 'query/limit'],
    [{ limit: '101' }, 'query/limit'],
    [{ limit: '-1' }, 'query/limit'],
    [{ limit: '1.5' }, 'query/limit'],
    [{ limit: '' }, 'query/limit'],
    [{ limit: 'ten' }, 'query/limit'],
    [{ reason: 'bad-luck' }, 'query/reason'],
    [{ type: '' }, 'query/type'],
    [{ tenant: '' }, 'query/tenant'],
    [{ state: 'dead' }, 'query/state'],
    [{ cursor: 'abc' }, 'query/cursor'],
    [{ cursor: '' }, 'query/cursor'],
  ] as const)('%o is refused: 400', async ([query, pointer]) => {
    expectFieldProblem(await api.dead(query), [pointer]);
  });

  test('the bounds of limit are taken', async () => {
    for (const limit of ['1', '100']) expect((await api.dead({ limit })).status).toBe(200);
  });

  test('a cursor of another query, or one that was changed, is refused: 400', async ({ own }) => {
    await kill(api, [own.key(1), own.key(2)], own.account());
    const { cursor } = (await api.dead({ limit: '1' })).body;
    expect(cursor).toEqual(expect.any(String));
    expect((await api.dead({ limit: '5', cursor })).status).toBe(200);
    expectFieldProblem(await api.dead({ type: 'test.scripted', cursor }), ['query/cursor']);
    expectFieldProblem(await api.dead({ cursor: `${cursor.slice(0, -3)}AAA` }), ['query/cursor']);
    expectFieldProblem(await api.redrive({ all: true, dryRun: true, cursor }), ['/cursor']);
  });
});
