import { beforeAll, describe, expect } from 'vitest';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem, expectProblem } from '#test/support/system/problem.ts';
import { api, ledger, reset } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const post = (key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/jobs', body, { ...(key !== undefined && { 'idempotency-key': key }), ...headers });

const credit = (account: string) => ({ type: 'ledger.credit', payload: { account, amount: 1 } });

describe('keys', () => {
  test('case 1: without a key 400, each time, and no record', async ({ own }) => {
    const body = credit(own.account());
    for (const headers of [{}, { 'idempotency-key': '' }, { 'idempotency-key': '   ' }]) {
      expectProblem(await post(undefined, body, headers), 400, 'missing-idempotency-key');
    }
    expect(await ledger(own.account())).toBeUndefined();
  });

  test.for([
    'k'.repeat(65),
    'a b',
    'a/b',
    'a#b',
    'a,b',
    '""',
    '"a',
    'a"b',
    '"a" ; x',
    'ä',
    "'a'",
    '*',
    'a=b',
    '{"a":1}',
  ])('an invalid key is refused: %s', async (key, { own }) => {
    const body = JSON.stringify(credit(own.account()));
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const answer = await api.raw('POST', '/jobs', { body, headers });
    expectFieldProblem(answer, ['header/Idempotency-Key'], 'invalid-idempotency-key');
  });
});

describe('media types', () => {
  test.for([
    undefined,
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/jsonp',
    'application/x-www-form-urlencoded',
  ])('415 for %s', async (contentType, { own }) => {
    const body = JSON.stringify(credit(own.account()));
    const headers = { 'idempotency-key': own.key(), 'content-type': contentType };
    expectProblem(await api.raw('POST', '/jobs', { body, headers }), 415, 'unsupported-media-type');
    expectProblem(
      await api.raw('POST', '/operator/capacity', { body: '{"capacity":100}', headers }),
      415,
      'unsupported-media-type',
    );
  });
});

/** What is wrong, the pointers that must name it, and the body. */
const wrongFields: readonly (readonly [string, readonly string[], unknown])[] = [
  ['no body', [''], undefined],
  ['not JSON', [''], '{"type":'],
  ['a list', [''], []],
  ['null', [''], 'null'],
  ['nothing in it', ['/type'], {}],
  ['no payload', ['/payload'], { type: 'ledger.credit' }],
  ['a type that is no text', ['/type'], { type: 7, payload: {} }],
  ['an unknown member', ['/priority'], { ...credit('a'), priority: 1 }],
  ['an unknown option', ['/options/retries'], { ...credit('a'), options: { retries: 1 } }],
  ['options that are no object', ['/options'], { ...credit('a'), options: [] }],
  ['options null', ['/options'], { ...credit('a'), options: null }],
  ...['delaySeconds', 'deadlineSeconds', 'waitBudgetSeconds'].flatMap((name) =>
    [-1, 1.5, '1', null, true, { delaySeconds: 901, deadlineSeconds: 1_209_601, waitBudgetSeconds: 43_201 }[name]].map(
      (value): [string, string[], unknown] => [
        `${name} ${value}`,
        [`/options/${name}`],
        { ...credit('a'), options: { [name]: value } },
      ],
    ),
  ),
  ['deadlineSeconds 0', ['/options/deadlineSeconds'], { ...credit('a'), options: { deadlineSeconds: 0 } }],
  [
    'two wrong options',
    ['/options/delaySeconds', '/options/waitBudgetSeconds'],
    { ...credit('a'), options: { delaySeconds: 'x', waitBudgetSeconds: -1 } },
  ],
  ['a payload that is null', ['/payload'], { type: 'ledger.credit', payload: null }],
  ['a payload that is a text', ['/payload'], { type: 'ledger.credit', payload: 'x' }],
  ['an empty payload', ['/payload/account', '/payload/amount'], { type: 'ledger.credit', payload: {} }],
  [
    'an unknown member of the payload',
    ['/payload/a~1b~0c'],
    { type: 'ledger.credit', payload: { account: 'a', amount: 1, 'a/b~c': 1 } },
  ],
  ...[0, -1, 1.5, '1', null, 2 ** 53].map((amount): [string, string[], unknown] => [
    `amount ${amount}`,
    ['/payload/amount'],
    `{"type":"ledger.credit","payload":{"account":"a","amount":${JSON.stringify(amount)}}}`,
  ]),
  ...['', 'a'.repeat(65), 'a b', 'ä', 'a.b', 7, null].map((account): [string, string[], unknown] => [
    `account ${account}`,
    ['/payload/account'],
    { type: 'ledger.credit', payload: { account, amount: 1 } },
  ]),
  [
    'a number that does not survive a round trip',
    [''],
    '{"type":"ledger.credit","payload":{"account":"a","amount":9007199254740993}}',
  ],
  [
    'an exit that is no whole number',
    ['/payload/exit'],
    { type: 'test.scripted', payload: { account: 'a', amount: 1, exit: 0.5 } },
  ],
  [
    'permanent false',
    ['/payload/permanent'],
    { type: 'test.scripted', payload: { account: 'a', amount: 1, permanent: false } },
  ],
];

describe('400 names the wrong fields', () => {
  test.for(wrongFields)('%s', async ([, pointers, body], { own }) => {
    expectFieldProblem(await post(own.key(), body, { 'content-type': 'application/json' }), pointers);
  });

  test('an unknown type', async ({ own }) => {
    expectFieldProblem(await post(own.key(), { type: 'no.such', payload: {} }), ['/type'], 'unknown-job-type');
  });

  test('an unknown query name, and any query at all where none is taken', async ({ own }) => {
    const body = credit(own.account());
    const headers = { 'idempotency-key': own.key() };
    expectFieldProblem(await api.call('POST', '/jobs?dry=1', body, headers), ['query/dry']);
    expectFieldProblem(await api.call('GET', `/jobs/${'0'.repeat(32)}?verbose=1`), ['query/verbose']);
    expectFieldProblem(await api.call('GET', '/operator/status?x='), ['query/x']);
  });

  test('G4: a refused submission does not use up its key', async ({ own }) => {
    expectProblem(
      await post(own.key(), { type: 'ledger.credit', payload: { account: own.account(), amount: 0 } }),
      400,
      'invalid-request',
    );
    expect((await post(own.key(), credit(own.account()))).status).toBe(202);
  });
});

describe('sizes: counted in UTF-8 bytes of the canonical payload, before its shape is looked at', () => {
  /** A payload of exactly so many bytes as canonical JSON, in two-byte characters but for at most one. */
  const payloadOf = (bytes: number) => {
    const text = bytes - '{"x":""}'.length;
    return { x: 'ä'.repeat(Math.floor(text / 2)) + 'a'.repeat(text % 2) };
  };

  test('65,536 bytes are looked at', async ({ own }) => {
    const answer = await post(own.key(), { type: 'ledger.credit', payload: payloadOf(65_536) });
    expectFieldProblem(answer, ['/payload/account', '/payload/amount', '/payload/x']);
  });

  test('65,537 bytes are 413, whatever else is wrong', async ({ own }) => {
    const payload = payloadOf(65_537);
    expectProblem(await post(own.key(), { type: 'ledger.credit', payload }), 413, 'payload-too-large');
    expectProblem(await post(own.key(), { type: 7, payload, wrong: true }), 413, 'payload-too-large');
  });

  test('spaces and escapes do not count', async ({ own }) => {
    const escaped = `{"x":"${'\\u00e4'.repeat(30_000)}"}`;
    const answer = await post(own.key(), `{"type":"ledger.credit",${' '.repeat(70_000)}"payload":${escaped}}`);
    expectProblem(answer, 400, 'invalid-request');
  });

  test('a raw body over 1 MiB is 413', async ({ own }) => {
    expectProblem(await post(own.key(), ' '.repeat(1_048_577)), 413, 'payload-too-large');
  });
});
