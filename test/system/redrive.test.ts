import { beforeAll, describe, expect, inject } from 'vitest';
import { anotherCaller } from '#test/support/system/caller.ts';
import { ApiClient } from '#test/support/system/client.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem } from '#test/support/system/problem.ts';
import {
  api,
  deadLettersOf,
  jobIn,
  ledger,
  outputs,
  pauseConsumer,
  reconcile,
  reset,
  resumeConsumer,
  settled,
  withCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const events = (job: { history: { event: string }[] }) => job.history.map((entry) => entry.event);

interface Dead {
  readonly id: string;
  readonly account: string;
}

/** A job that dies of its wait budget at its first failure and succeeds at its second start, that is, once redriven. */
const killOne = async (caller: ApiClient, key: string, account: string): Promise<Dead> => {
  const payload = { account, amount: 5, failBefore: 1 };
  const { id } = (await caller.submit(key, 'test.scripted', payload, { waitBudgetSeconds: 0 })).body;
  await eventually(async () => expect((await caller.job(id)).body.state).toBe('dead'));
  return { id, account };
};

const body = (over: object) => ({ examined: 1, moved: 1, skipped: [], stoppedBy: 'end', dryRun: false, ...over });

describe('POST /operator/dead/redrive', () => {
  test('G7: by id: the same id and key, the next tenure, its effect once, and no old message is left', async ({
    own,
  }) => {
    const { id, account } = await killOne(api, own.key(), own.account());
    await eventually(async () => expect(await deadLettersOf(id)).toHaveLength(1));
    const answer = await api.redrive({ ids: [id] });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(body({}));

    const job = await jobIn(id, 'succeeded');
    expect(job).toMatchObject({ id, key: own.key(), redrives: 1, attempt: 1, starts: 2 });
    expect(events(job)).toEqual(['accept', 'start', 'dead', 'redrive', 'start', 'succeed']);
    const operator = new ApiClient(outputs.apiUrl, inject('callers').operator);
    const { tenant } = (
      await operator.submit(own.key('his'), 'ledger.credit', { account: own.account('his'), amount: 1 })
    ).body;
    expect(job.history[3].detail).toMatchObject({ actor: tenant, after: 'wait-budget-exhausted' });
    expect(await ledger(account)).toEqual({ total: 5, writes: 1 });
    await eventually(async () => {
      await reconcile();
      expect(await deadLettersOf(id)).toEqual([]);
    });
  });

  test('case 11: of a job that is not dead it does nothing, with a reason; twice at once it moves the job once', async ({
    own,
  }) => {
    const { id, account } = await killOne(api, own.key(), own.account());
    const both = await Promise.all([api.redrive({ ids: [id] }), api.redrive({ ids: [id, id] })]);
    expect(both.map((answer) => answer.status)).toEqual([200, 200]);
    expect(both.reduce((sum, answer) => sum + answer.body.moved, 0)).toBe(1);
    await jobIn(id, 'succeeded');
    const again = await api.redrive({ ids: [id] });
    expect(again.body).toEqual(body({ moved: 0, skipped: [{ id, code: 'not-dead' }] }));
    expect(await ledger(account)).toEqual({ total: 5, writes: 1 });
  });

  test('an id that nobody has is skipped as job-not-found', async () => {
    const ids = ['0'.repeat(32), 'nothing'];
    const answer = await api.redrive({ ids });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      body({ examined: 2, moved: 0, skipped: ids.map((id) => ({ id, code: 'job-not-found' })) }),
    );
  });

  test('a dry run moves nothing and tells what would be moved', async ({ own }) => {
    const { id } = await killOne(api, own.key(), own.account());
    const unknown = '0'.repeat(32);
    const answer = await api.redrive({ ids: [id, unknown], dryRun: true });
    expect(answer.body).toEqual(body({ examined: 2, skipped: [{ id: unknown, code: 'job-not-found' }], dryRun: true }));
    expect((await api.job(id)).body).toMatchObject({ state: 'dead', redrives: 0 });
    expect(await ledger(own.account())).toBeUndefined();
  });

  test('by filter, oldest first, with limit and cursor until the end', async ({ own }) => {
    const caller = await anotherCaller();
    const dead: Dead[] = [];
    for (const n of [1, 2, 3, 4, 5]) dead.push(await killOne(caller, own.key(n), own.account(n)));
    const { tenant } = (await caller.job(dead[0]?.id ?? '')).body;
    const request = { filter: { tenant, reason: 'wait-budget-exhausted' }, limit: 2 };

    const first = (await api.redrive(request)).body;
    expect(first).toEqual(body({ examined: 2, moved: 2, stoppedBy: 'limit', cursor: expect.any(String) }));
    for (const { id } of dead.slice(0, 2))
      await eventually(async () => expect((await caller.job(id)).body.redrives).toBe(1));
    for (const { id } of dead.slice(2)) expect((await caller.job(id)).body.redrives).toBe(0);

    let { cursor } = first;
    let moved = first.moved;
    while (cursor !== undefined) {
      const next = (await api.redrive({ ...request, cursor })).body;
      moved += next.moved;
      cursor = next.cursor;
    }
    expect(moved).toBe(5);
    for (const { id, account } of dead) {
      await eventually(async () => expect((await caller.job(id)).body.state).toBe('succeeded'));
      expect(await ledger(account)).toEqual({ total: 5, writes: 1 });
    }
  });

  test('a job that was redriven three times is skipped as redrive-limit, unless forced', async ({ own }) => {
    const payload = { account: own.account(), amount: 1, permanent: true };
    const { id } = (await api.submit(own.key(), 'test.scripted', payload)).body;
    for (const redrives of [1, 2, 3]) {
      await jobIn(id, 'dead');
      expect((await api.redrive({ ids: [id] })).body.moved).toBe(1);
      await eventually(async () =>
        expect((await api.job(id)).body).toMatchObject({ state: 'dead', redrives, starts: redrives + 1 }),
      );
    }
    expect((await api.redrive({ ids: [id] })).body).toEqual(
      body({ moved: 0, skipped: [{ id, code: 'redrive-limit' }] }),
    );
    expect((await api.redrive({ ids: [id], force: true })).body).toEqual(body({}));
    await eventually(async () => expect((await api.job(id)).body).toMatchObject({ state: 'dead', redrives: 4 }));
  });

  test('G1: it stops when no slot is free, skips as queue-full, and goes on from there later', async ({ own }) => {
    const dead: Dead[] = [];
    for (const n of [1, 2, 3]) dead.push(await killOne(api, own.key(n), own.account(n)));
    const ids = dead.map(({ id }) => id);
    await settled();
    await pauseConsumer();
    await withCapacity(2);
    const stopped = await api.redrive({ ids });
    expect(stopped.status).toBe(200);
    expect(stopped.body).toEqual(
      body({
        examined: 3,
        moved: 2,
        skipped: [{ id: ids[2], code: 'queue-full' }],
        stoppedBy: 'full',
        cursor: expect.any(String),
      }),
    );
    expect((await api.status()).body.inFlight.total).toBe(2);
    expect((await api.job(ids[2] ?? '')).body).toMatchObject({ state: 'dead', redrives: 0 });

    await resumeConsumer();
    await settled();
    // An instance may go on saying "full" for the second for which it remembers it.
    await eventually(async () =>
      expect((await api.redrive({ ids, cursor: stopped.body.cursor })).body).toEqual(body({})),
    );
    for (const { id, account } of dead) {
      await jobIn(id, 'succeeded');
      expect(await ledger(account)).toEqual({ total: 5, writes: 1 });
    }
  });

  test.for([
    ['nothing that says which', {}, ['']],
    ['all: false alone', { all: false }, ['']],
    ['ids beside all', { ids: ['x'], all: true }, ['']],
    ['no ids', { ids: [] }, ['/ids']],
    ['too many ids', { ids: Array.from({ length: 101 }, (_, i) => `${i}`) }, ['/ids']],
    ['ids that are no texts', { ids: [1] }, ['/ids/0']],
    ['an unknown filter', { filter: { age: 1 } }, ['/filter/age']],
    ['a time that is none', { filter: { before: 'yesterday' } }, ['/filter/before']],
    ['a limit of 0', { all: true, limit: 0 }, ['/limit']],
    ['a limit of 101', { all: true, limit: 101 }, ['/limit']],
    ['a rate of 0', { all: true, ratePerSecond: 0 }, ['/ratePerSecond']],
    ['a rate of 101', { all: true, ratePerSecond: 101 }, ['/ratePerSecond']],
    ['dryRun as text', { all: true, dryRun: 'true' }, ['/dryRun']],
    ['a cursor that is none', { all: true, cursor: 'abc' }, ['/cursor']],
    ['an unknown member', { all: true, older: 1 }, ['/older']],
  ] as const)('400 for %s', async ([, request, pointers]) => {
    expectFieldProblem(await api.redrive(request), pointers);
  });
});
