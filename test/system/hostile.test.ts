import { beforeAll, describe, expect } from 'vitest';
import type { Capability } from '#test/support/engines/capabilities.ts';
import { needs } from '#test/support/engines/needs.ts';
import { test } from '#test/support/system/own.ts';
import { api, reset, root } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const credit = '{"type":"ledger.credit","payload":{"account":"a","amount":1}}';
const withPayload = (payload: string) => `{"type":"ledger.credit","payload":${payload}}`;
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Bodies that no honest client sends. Bytes go out as they are. */
const bodies: readonly (readonly [string, string | Buffer])[] = [
  ['a lone brace', '{'],
  ['two values', '{}{}'],
  ['a comment', '{/**/}'],
  ['single quotes', "{'type':'ledger.credit'}"],
  ['a trailing comma', '{"type":"ledger.credit",}'],
  ['NaN', withPayload('{"account":"a","amount":NaN}')],
  ['Infinity by exponent', withPayload('{"account":"a","amount":1e999}')],
  ['a number that becomes 0', withPayload('{"account":"a","amount":1e-999}')],
  ['a long number', withPayload(`{"account":"a","amount":${'9'.repeat(5000)}}`)],
  ['a long fraction', withPayload(`{"account":"a","amount":1.${'0'.repeat(5000)}1}`)],
  ['a huge exponent', withPayload(`{"account":"a","amount":1e${'9'.repeat(400)}}`)],
  ['minus zero', withPayload('{"account":"a","amount":-0}')],
  ['a leading zero', withPayload('{"account":"a","amount":01}')],
  ['a byte order mark', Buffer.from(`\ufeff${'{}'}`)],
  ['a byte that is not UTF-8', Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])],
  ['an overlong UTF-8 form', Buffer.concat([Buffer.from('{"type":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')])],
  ['UTF-16', Buffer.from(credit, 'utf16le')],
  ['zero bytes', Buffer.alloc(64)],
  ['a zero in a text', withPayload('{"account":"a\\u0000","amount":1}')],
  ['a raw newline in a text', withPayload('{"account":"a\nb","amount":1}')],
  ['a lone surrogate', withPayload('{"account":"\\ud800","amount":1}')],
  ['a lone surrogate as name', withPayload('{"\\udfff":1}')],
  ['a lone surrogate as type', '{"type":"\\ud800","payload":{}}'],
  ['nesting at the limit', withPayload(deep(90))],
  ['nesting beyond the limit', withPayload(deep(200))],
  ['nesting that overflows a stack', withPayload(deep(200_000))],
  ['objects that overflow a stack', withPayload(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
  ['__proto__ in the body', '{"type":"ledger.credit","payload":{"account":"a","amount":1},"__proto__":{"x":1}}'],
  ['__proto__ in the payload', withPayload('{"account":"a","amount":1,"__proto__":{"amount":5}}')],
  ["__proto__ as the payload's only name", withPayload('{"__proto__":{"account":"a","amount":1}}')],
  ['constructor and toString', withPayload('{"constructor":1,"toString":2,"account":"a","amount":1}')],
  ['toJSON', withPayload('{"toJSON":"x","account":"a","amount":1}')],
  ['the type __proto__', '{"type":"__proto__","payload":{}}'],
  ['the type constructor', '{"type":"constructor","payload":{}}'],
  ['an empty type', '{"type":"","payload":{}}'],
  ['a long type', `{"type":"${'t'.repeat(10_000)}","payload":{}}`],
  ['a type with a line break', '{"type":"ledger.credit\\n","payload":{}}'],
  ['a name given twice', '{"type":"ledger.credit","type":"no.such","payload":{}}'],
  ['many names', withPayload(`{${Array.from({ length: 5_000 }, (_, i) => `"n${i}":${i}`).join()}}`)],
  ['many unknown members', `{${Array.from({ length: 5_000 }, (_, i) => `"n${i}":${i}`).join()}}`],
  ['a long name', withPayload(`{"${'n'.repeat(60_000)}":1}`)],
  ['a list of many', withPayload(`[${'0,'.repeat(20_000)}0]`)],
  ["DynamoDB's own form", withPayload('{"account":{"S":"a"},"amount":{"N":"1"}}')],
  ['an expression as account', withPayload('{"account":"#a = :b OR attribute_exists(id)","amount":1}')],
  ['markup', withPayload('{"account":"<script>alert(1)</script>","amount":1}')],
  ['options as a list', '{"type":"ledger.credit","payload":{"account":"a","amount":1},"options":[1]}'],
  ['an option 1e3', '{"type":"ledger.credit","payload":{"account":"a","amount":1},"options":{"delaySeconds":1e3}}'],
  [
    'options with __proto__',
    '{"type":"ledger.credit","payload":{"account":"a","amount":1},"options":{"__proto__":{"delaySeconds":1}}}',
  ],
  ['2 MiB of spaces', ' '.repeat(2_097_152)],
  ['2 MiB of JSON', withPayload(`"${'x'.repeat(2_097_152)}"`)],
  ['form data', 'type=ledger.credit&payload=1'],
  ['XML', '<?xml version="1.0"?><job/>'],
];

/** Headers, paths and methods. All but the deviation are as in a good request; at the end, what it needs of the engine. */
const requests: readonly (readonly [
  string,
  { method?: string; path?: string; headers?: Record<string, string>; body?: string | undefined },
  Capability?,
])[] = [
  ['a key in Latin-1', { headers: { 'idempotency-key': '\xe9\xff' } }],
  ['a key of 7,000 characters', { headers: { 'idempotency-key': 'k'.repeat(7_000) } }],
  ['a key with a tab', { headers: { 'idempotency-key': 'a\tb' } }],
  ['a key with quotes only', { headers: { 'idempotency-key': '"' } }],
  ['a content type of 7,000 characters', { headers: { 'content-type': `application/json;${'x'.repeat(7_000)}` } }],
  ['a content encoding that is not true', { headers: { 'content-encoding': 'gzip' }, body: '{}' }, 'odd-http'],
  ['a forwarded protocol', { headers: { 'x-forwarded-proto': 'gopher:' }, body: '{}' }],
  ['a forwarded address', { headers: { 'x-forwarded-for': 'x'.repeat(3_000) }, body: '{}' }],
  ['an Accept that refuses JSON', { headers: { accept: 'text/html;q=1, */*;q=0' }, body: '{}' }],
  ['a header with an odd name', { headers: { "x!#$%&'*+.^_`|~": '1' }, body: '{}' }],
  ['two slashes before the path', { path: '//jobs' }, 'odd-http'],
  ['a path that climbs', { path: '/jobs/../operator/status' }],
  ['an encoded climb', { path: '/jobs/%2e%2e%2foperator', method: 'GET' }],
  ['a zero byte in the path', { path: '/jobs/%00', method: 'GET' }],
  ['a broken escape in the path', { path: '/jobs/%zz', method: 'GET' }],
  ['half an escape in the path', { path: '/jobs/%', method: 'GET' }],
  ['bytes in the path that are not UTF-8', { path: '/jobs/%ff%fe', method: 'GET' }],
  ['a path of 7,000 characters', { path: `/jobs/${'a'.repeat(7_000)}`, method: 'GET' }],
  ['letters beyond ASCII in the path', { path: '/jobs/%E2%82%AC', method: 'GET' }],
  ['a broken query', { path: '/jobs/x?%zz=%', method: 'GET' }],
  ['a query name given twice', { path: '/operator/dead?limit=1&limit=2', method: 'GET' }],
  ['a query named __proto__', { path: '/operator/dead?__proto__=1', method: 'GET' }],
  ['a cursor that is no cursor', { path: '/operator/dead?cursor=%00', method: 'GET' }],
  [
    'a cursor of JSON',
    { path: `/operator/dead?cursor=${Buffer.from('[null,{"a":1}]').toString('base64url')}`, method: 'GET' },
  ],
  ['TRACE', { method: 'TRACE', body: undefined }, 'odd-http'],
  ['PROPFIND', { method: 'PROPFIND' }, 'odd-http'],
  ['a body with GET', { method: 'GET', path: '/jobs/x' }],
  ['an empty body to capacity', { path: '/operator/capacity', body: '' }],
  ['ids of every kind', { path: '/operator/dead/redrive', body: '{"ids":[1,null,{},"x"]}' }],
  [
    'an id that is another item',
    { path: '/operator/dead/redrive', body: '{"ids":["control","slots#0","reconciler"]}' },
  ],
];

/** Refused as the caller's mistake, in our own words, without a trace of how it is made inside. */
const expectRefused = (answer: Awaited<ReturnType<typeof api.raw>>): void => {
  expect(answer.status).toBeGreaterThanOrEqual(400);
  expect(answer.status).toBeLessThan(500);
  expect(answer.body).toMatchObject({
    type: 'about:blank',
    status: answer.status,
    retryable: false,
    // What the gateway refuses has not been tried.
    code: expect.not.stringMatching(/^forbidden$/),
  });
  expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|index\.mjs|at async|<script|sluice-local/);
  expect(JSON.stringify(answer.body).length).toBeLessThan(6_000);
};

describe('never a 5xx for what a caller sends', () => {
  test.for(bodies)('body: %s', async ([, body], { own }) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': own.key() };
    expectRefused(await api.raw('POST', '/jobs', { headers, body }));
    if (body.length < 100_000) {
      const capacity = await api.raw('POST', '/operator/capacity', { headers, body });
      const redrive = await api.raw('POST', '/operator/dead/redrive', { headers, body });
      for (const answer of [capacity, redrive]) expectRefused(answer);
    }
  });

  test.for(requests)(
    'request: %s',
    async ([, { method = 'POST', path = '/jobs', headers = {}, body = credit }, fact], { own, skip }) => {
      if (fact !== undefined) needs({ skip }, fact);
      // Methods and paths are not those of a role: who may call everything gets as far as to us.
      const answer = await root.raw(method, path, {
        headers: { 'content-type': 'application/json', 'idempotency-key': own.key(), ...headers },
        ...(method !== 'TRACE' && { body }),
      });
      if (path.endsWith('/redrive') && answer.status === 200) expect(answer.body).toMatchObject({ moved: 0 });
      else expectRefused(answer);
    },
  );
});
