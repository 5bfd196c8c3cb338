import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer, ApiClient, Credentials } from '#test/support/system/client.ts';
import { expectProblem } from '#test/support/system/problem.ts';
import { clientOf, identities, outputs } from './support/stage.ts';

/* Who may call what, while signatures and policies are truly checked. */

let shop: Credentials;
let submitter: ApiClient;
let operator: ApiClient;
beforeAll(async () => {
  shop = await identities.user('shop', outputs.submitPolicyArn);
  submitter = clientOf(shop);
  operator = clientOf(await identities.user('duty', outputs.operatePolicyArn));
});

/**
 * Refused by a policy. The emulator answers that in its own words instead of through the gateway's ACCESS_DENIED response,
 * which test/infra/api.test.ts holds to the problem that AWS then answers with.
 */
const expectDenied = ({ status, body }: Answer): void => {
  expect({ status, type: body.__type ?? body.code }).toEqual({
    status: 403,
    type: expect.stringMatching(/^(AccessDeniedException|forbidden)$/),
  });
};

const credit = { account: 'auth', amount: 1 };
const operatorCalls = [
  ['GET', '/operator/status'],
  ['GET', '/operator/jobs'],
  ['GET', `/operator/jobs/${'0'.repeat(32)}`],
  ['POST', `/operator/jobs/${'0'.repeat(32)}/cancel`],
  ['GET', '/operator/dead'],
  ['POST', '/operator/dead/redrive', { all: true }],
  ['POST', '/operator/dead/discard', { all: true }],
  ['POST', '/operator/intake', { state: 'closed' }],
  ['POST', '/operator/capacity', { capacity: 1 }],
  ['POST', '/operator/consumer', { state: 'paused' }],
] as const;

describe('a submitter', () => {
  test('submits, sees, lists and cancels', async () => {
    const { status, body } = await submitter.submit('first', 'ledger.credit', credit);
    expect(status).toBe(202);
    expect((await submitter.call('GET', `/jobs/${body.id}?waitSeconds=20`)).body.state).toBe('succeeded');
    expect((await submitter.call('GET', '/jobs')).body.jobs).toHaveLength(1);
    const { id } = (await submitter.submit('later', 'ledger.credit', credit, { delaySeconds: 600 })).body;
    expect((await submitter.call('POST', `/jobs/${id}/cancel`)).body.state).toBe('cancelled');
  });

  test.for(operatorCalls)('cannot call %s %s, and nothing is changed', async ([method, path, body]) => {
    expectDenied(await submitter.call(method, path, body));
    expect((await operator.status()).body).toMatchObject({ intake: 'open', capacity: 100, consumer: 'running' });
  });

  test.for([
    '/jobs/../operator/status',
    '//operator/status',
    '/jobs/%2e%2e/operator/status',
    '/jobs/..%2foperator%2fstatus',
    '/operator%2fstatus',
    '/Operator/status',
    '/operator/status/',
  ])('does not get there by %s either', async (path) => {
    const answer = await submitter.raw('GET', path);
    expect(answer.status, JSON.stringify(answer.body)).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(JSON.stringify(answer.body)).not.toContain('capacity');
  });
});

describe('an operator', () => {
  test('may submit as well, and sees the jobs of all', async () => {
    const { id } = (await submitter.submit('seen', 'ledger.credit', credit)).body;
    expect((await operator.operatorJob(id)).body).toMatchObject({ id, payload: credit });
    expect((await operator.submit('own', 'ledger.credit', credit)).status).toBe(202);
  });
});

describe('a call that nobody answers for', () => {
  const all = [
    ['POST', '/jobs', { type: 'ledger.credit', payload: credit }],
    ['GET', '/jobs'],
    ...operatorCalls,
  ] as const;

  test.for(all)('%s %s without a signature', async ([method, path, body]) => {
    const text = body && JSON.stringify(body);
    expectProblem(await submitter.raw(method, path, { signed: false, ...(text && { body: text }) }), 403, 'forbidden');
  });

  test.for(all)('%s %s signed with a wrong secret', async ([method, path, body]) => {
    const forger = clientOf({ ...shop, secretAccessKey: 'not-the-secret' });
    expectProblem(await forger.call(method, path, body), 403, 'forbidden');
  });

  test('signed with a key of nobody, or by a user without rights', async () => {
    const nobody = clientOf({ accessKeyId: 'AKIANOBODY0000000000', secretAccessKey: 'none' });
    expectProblem(await nobody.submit('x', 'ledger.credit', credit), 403, 'forbidden');
    expectProblem(await nobody.status(), 403, 'forbidden');
    const newcomer = clientOf(await identities.user('newcomer'));
    expectDenied(await newcomer.submit('x', 'ledger.credit', credit));
    expectDenied(await newcomer.status());
  });

  test('signed for another call: the signature of a list does not open the status', async () => {
    expectProblem(await operator.raw('GET', '/operator/status', { signed: '/jobs' }), 403, 'forbidden');
    expect((await operator.raw('GET', '/operator/status', { signed: '/operator/status' })).status).toBe(200);
  });
});

describe('tenants', () => {
  test('one cannot see, list or cancel the job of another, nor learn that it is there', async () => {
    const rival = clientOf(await identities.user('rival', outputs.submitPolicyArn));
    const { id } = (await submitter.submit('mine', 'ledger.credit', credit, { delaySeconds: 600 })).body;
    const unknown = await rival.job('f'.repeat(32));
    for (const answer of [await rival.job(id), await rival.call('POST', `/jobs/${id}/cancel`)]) {
      expectProblem(answer, 404, 'job-not-found');
      expect({ ...answer.body, requestId: '' }).toEqual({ ...unknown.body, requestId: '' });
    }
    expect((await rival.call('GET', '/jobs')).body.jobs).toEqual([]);
    const { cursor } = (await submitter.call('GET', '/jobs?limit=1')).body;
    expectProblem(await rival.call('GET', `/jobs?limit=1&cursor=${cursor}`), 400, 'invalid-request');
    expect((await submitter.job(id)).body.state).toBe('queued');
    expect((await submitter.call('POST', `/jobs/${id}/cancel`)).body.state).toBe('cancelled');
  });

  test('two sessions of one role are one caller; another role is another', async () => {
    const sessionOf = await identities.role('workers', 'shop', outputs.submitPolicyArn);
    const otherRole = await identities.role('others', 'shop', outputs.submitPolicyArn);
    const monday = clientOf(await sessionOf('monday', shop));
    const tuesday = clientOf(await sessionOf('tuesday', shop));
    const other = clientOf(await otherRole('monday', shop));
    const first = await monday.submit('shared', 'ledger.credit', credit);
    const again = await tuesday.submit('shared', 'ledger.credit', credit);
    expect([first.status, again.status, again.body.id]).toEqual([202, 200, first.body.id]);
    expect((await tuesday.job(first.body.id)).body.tenant).toBe(first.body.tenant);
    expectProblem(await other.job(first.body.id), 404, 'job-not-found');
    expect((await other.submit('shared', 'ledger.credit', credit)).status).toBe(202);
  });

  test('a session without its token, or with that of another session, is nobody', async () => {
    const sessionOf = await identities.role('careless', 'shop', outputs.submitPolicyArn);
    const session = await sessionOf('one', shop);
    const { accessKeyId, secretAccessKey } = session;
    const other = await sessionOf('two', shop);
    for (const credentials of [
      { accessKeyId, secretAccessKey },
      { ...other, accessKeyId, secretAccessKey },
    ]) {
      expectProblem(await clientOf(credentials).call('GET', '/jobs'), 403, 'forbidden');
    }
  });
});
