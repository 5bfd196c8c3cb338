import { beforeAll, describe, expect, inject } from 'vitest';
import { needs } from '#test/support/engines/needs.ts';
import { anotherCaller } from '#test/support/system/caller.ts';
import { ApiClient } from '#test/support/system/client.ts';
import { test } from '#test/support/system/own.ts';
import { expectProblem } from '#test/support/system/problem.ts';
import { api, jobIn, ledger, outputs, reset, root } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

// Neither role may call what the API does not have, so that IAM refuses it before; who may call everything gets to see this.
describe('routes and methods', () => {
  test.for([
    '/',
    '/nothing',
    '/job',
    '/jobs/a/b',
    '/jobs/a/b/c',
    '/operator',
    '/operator/nothing',
    '/operator/dead/nothing',
    '/Jobs',
    '/v2/jobs',
  ])('404 route-not-found for %s', async (path) => {
    expectProblem(await root.call('GET', path), 404, 'route-not-found');
    expectProblem(await root.call('POST', path, {}), 404, 'route-not-found');
  });

  test.for([
    ['PUT', '/jobs', 'POST'],
    ['DELETE', '/jobs', 'POST'],
    ['PATCH', '/jobs', 'POST'],
    ['POST', '/jobs/x', 'GET'],
    ['DELETE', '/jobs/x', 'GET'],
    ['POST', '/operator/status', 'GET'],
    ['GET', '/operator/capacity', 'POST'],
    ['PUT', '/operator/consumer', 'POST'],
    ['POST', '/operator/dead', 'GET'],
    ['GET', '/operator/dead/redrive', 'POST'],
    ['POST', '/operator/jobs/x', 'GET'],
  ] as const)('405 with Allow for %s %s', async ([method, path, allow]) => {
    const answer = await root.call(method, path, method === 'GET' ? undefined : {});
    expectProblem(answer, 405, 'method-not-allowed');
    expect(answer.headers.get('allow')?.split(', ')).toContain(allow);
  });
});

describe('callers', () => {
  test.for([
    ['POST', '/jobs'],
    ['GET', '/jobs/x'],
    ['GET', '/operator/status'],
    ['POST', '/operator/capacity'],
    ['POST', '/operator/dead/redrive'],
  ] as const)(
    '%s %s is 403 without a signature and with a key of nobody, and nothing is done',
    async ([method, path], { own, skip }) => {
      needs({ skip }, 'gateway-templates');
      const body = JSON.stringify({ type: 'ledger.credit', payload: { account: own.account(), amount: 1 } });
      const headers = { 'content-type': 'application/json', 'idempotency-key': own.key() };
      const before = (await api.status()).body.capacity;
      const unsigned = { headers, signed: false, ...(method === 'POST' && { body }) };
      expectProblem(await api.raw(method, path, unsigned), 403, 'forbidden');
      const nobody = new ApiClient(outputs.apiUrl, { accessKeyId: 'AKIANOBODY0000000000', secretAccessKey: 'none' });
      const answer = await nobody.call(method, path, method === 'POST' ? body : undefined, headers);
      // Where signatures are not checked, the call gets as far as to us, and has no identity.
      expectProblem(answer, 403, inject('authChecked') ? 'forbidden' : 'caller-unknown');
      expect((await api.status()).body.capacity).toBe(before);
      expect(await ledger(own.account())).toBeUndefined();
    },
  );

  test('case 1, G4: two callers with one key have two jobs, and neither sees that of the other', async ({ own }) => {
    const [someone, other] = [api, await anotherCaller()];
    const submissions = [
      { caller: someone, stranger: other, account: own.account('someone'), amount: 3 },
      { caller: other, stranger: someone, account: own.account('other'), amount: 4 },
    ];
    const ids: string[] = [];
    for (const { caller, account, amount } of submissions) {
      const answer = await caller.submit(own.key(), 'ledger.credit', { account, amount });
      expect(answer.status).toBe(202);
      ids.push(answer.body.id);
    }
    expect(ids[0]).not.toBe(ids[1]);
    const tenants = await Promise.all(ids.map(async (id) => (await api.operatorJob(id)).body.tenant));
    expect(new Set(tenants).size).toBe(2);
    for (const [i, { caller, stranger, account, amount }] of submissions.entries()) {
      const id = ids[i] ?? '';
      expectProblem(await stranger.job(id), 404, 'job-not-found');
      expect((await caller.job(id)).body).toMatchObject({ id, payload: { account, amount } });
      const again = await caller.submit(own.key(), 'ledger.credit', { account, amount });
      expect([again.status, again.body.id]).toEqual([200, id]);
    }
    await jobIn(ids[0] ?? '', 'succeeded');
    expect(await ledger(own.account('someone'))).toEqual({ total: 3, writes: 1 });
  });

  test('a new key pair of the same user is the same caller', async ({ own }) => {
    const user = `user-${own.key()}`;
    const payload = { account: own.account(), amount: 1 };
    const first = await (await anotherCaller(user)).submit(own.key(), 'ledger.credit', payload);
    const again = await (await anotherCaller(user)).submit(own.key(), 'ledger.credit', payload);
    expect([first.status, again.status]).toEqual([202, 200]);
    expect(again.body.id).toBe(first.body.id);
  });
});
