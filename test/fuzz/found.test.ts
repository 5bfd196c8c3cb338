import { beforeAll, describe, expect, inject, test } from 'vitest';
import { makeCursor } from '#functions/http/inputs.ts';
import { ApiClient } from '#test/support/system/client.ts';
import { expectFieldProblem, expectProblem } from '#test/support/system/problem.ts';
import { type Facts, plant, walks } from './support/facts.ts';

/* What fuzzing found, each under a name of its own, and what it must go on not finding. */

const outputs = inject('localOutputs');
let facts: Facts;
let attacker: ApiClient;
beforeAll(async () => {
  facts = await plant(outputs);
  attacker = new ApiClient(outputs.apiUrl, facts.attacker);
});

/** Found: each of these was a 500, or a 503 from a request that DynamoDB refused. */
const places: readonly (readonly [string, (buckets: number) => string])[] = [
  ['nothing', () => ''],
  ['no JSON', () => 'x|['],
  ['too few buckets', () => '[null]'],
  ['a bucket that is no place', (buckets) => JSON.stringify([{}, ...Array(buckets - 1).fill(null)])],
  ['an id that is no text', (buckets) => JSON.stringify([{ id: {}, at: 1 }, ...Array(buckets - 1).fill(null)])],
  [
    'an id of 3,000 letters',
    (buckets) => JSON.stringify([{ id: 'x'.repeat(3_000), at: 1 }, ...Array(buckets - 1).fill(null)]),
  ],
  ['an id of another item', (buckets) => JSON.stringify([{ id: 'control', at: 1 }, ...Array(buckets - 1).fill(null)])],
  [
    'a moment that is no number',
    (buckets) => JSON.stringify([{ id: '0'.repeat(32), at: 'x' }, ...Array(buckets - 1).fill(null)]),
  ],
  [
    'a moment before all',
    (buckets) => JSON.stringify([{ id: '0'.repeat(32), at: -1 }, ...Array(buckets - 1).fill(null)]),
  ],
];

describe('a cursor made up with the right digest is the caller’s mistake', () => {
  for (const [name, placeOf] of places) {
    test.for(['/jobs', '/operator/jobs', '/operator/dead', '/operator/dead/redrive'])(`${name}: %s`, async (path) => {
      const walk = walks(facts.tenants.at(-1) ?? '').find((candidate) => candidate.path === path);
      if (walk === undefined) throw new Error(`no walk over ${path}`);
      const cursor = makeCursor(walk.boundTo, placeOf(walk.buckets));
      if (walk.body === undefined) {
        expectFieldProblem(await attacker.call('GET', `${path}?${new URLSearchParams({ cursor })}`), ['query/cursor']);
      } else {
        expectFieldProblem(await attacker.call('POST', path, { ...walk.body, cursor }), ['/cursor']);
        const began = makeCursor(walk.boundTo, `${Date.now()}|${placeOf(walk.buckets)}`);
        expectFieldProblem(await attacker.call('POST', path, { ...walk.body, cursor: began }), ['/cursor']);
      }
    });
  }

  test('and one for another tenant’s list shows nothing of it', async () => {
    const [victim = ''] = facts.tenants;
    const [walk] = walks(victim);
    const cursor = makeCursor(walk?.boundTo, JSON.stringify(Array(walk?.buckets).fill(null)));
    expectFieldProblem(await attacker.call('GET', `/jobs?cursor=${cursor}`), ['query/cursor']);
    expectFieldProblem(await attacker.call('GET', `/jobs?tenant=${encodeURIComponent(victim)}`), ['query/tenant']);
  });
});

describe('texts that Unicode holds to be the same are not', () => {
  test('one key, payloads in two normal forms: a conflict', async () => {
    const url = 'https://nowhere.invalid/';
    expect((await attacker.submit('twins', 'webhook.deliver', { url, body: { name: '\u00e9' } })).status).toBe(202);
    expectProblem(
      await attacker.submit('twins', 'webhook.deliver', { url, body: { name: 'e\u0301' } }),
      422,
      'idempotency-conflict',
    );
    const again = await attacker.submit('twins', 'webhook.deliver', { url, body: { name: '\u00e9' } });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test('a type in letters that look alike is unknown', async () => {
    expectProblem(
      await attacker.submit('wide', '\uff4cedger.credit', { account: 'a', amount: 1 }),
      400,
      'unknown-job-type',
    );
  });
});

test('a name given twice: the last one counts everywhere, in the check as in the effect', async () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'twice' };
  const body = '{"type":"none","payload":{"account":"twice","amount":-5,"amount":2},"type":"ledger.credit"}';
  const { status, body: job } = await attacker.raw('POST', '/jobs', { headers, body });
  expect(status).toBe(202);
  const done = await attacker.call('GET', `/jobs/${job.id}?waitSeconds=10`);
  expect(done.body).toMatchObject({
    state: 'succeeded',
    payload: { account: 'twice', amount: 2 },
    result: { credited: 2 },
  });
});

test('two Idempotency-Key headers are no key', async () => {
  const headers = { 'content-type': 'application/json', 'idempotency-key': ['one-key', 'other-key'] as never };
  const body = '{"type":"ledger.credit","payload":{"account":"two","amount":1}}';
  const answer = await attacker.raw('POST', '/jobs', { headers, body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(400);
});
