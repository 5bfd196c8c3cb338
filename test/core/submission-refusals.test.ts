import { describe, expect, it } from 'vitest';
import { bounds } from '#core/limits.ts';
import type { Problem } from '#core/problem.ts';
import { checkSubmission, isJson, type PayloadCheck, type RawSubmission } from '#core/submission.ts';
import { ledgerCredit } from '#functions/jobs/ledger-credit.ts';

/** Takes any payload, so that only what is common to all types is under test. */
const anything: PayloadCheck = () => [];
const known = new Map<string, PayloadCheck>([
  ['ledger.credit', ledgerCredit.check],
  ['any', anything],
]);

const good: RawSubmission = {
  scope: '123456789012/AROAEXAMPLE',
  contentType: 'application/json',
  idempotencyKey: 'order-1',
  body: '{"type":"any","payload":{}}',
};
const refusal = (over: Partial<RawSubmission>): Problem | undefined => {
  const checked = checkSubmission({ ...good, ...over }, (type) => known.get(type));
  return checked.ok ? undefined : checked.problem;
};
const codeOf = (over: Partial<RawSubmission>): string => refusal(over)?.code ?? 'accepted';
const pointers = (body: string): readonly string[] => (refusal({ body })?.errors ?? []).map((e) => e.pointer);
const options = (text: string): string => `{"type":"any","payload":{},"options":${text}}`;
/** A payload of exactly `bytes` as canonical JSON. */
const sized = (bytes: number, unit = 'x'): string => {
  const left = bytes - '{"t":""}'.length;
  const size = Buffer.byteLength(unit);
  return `{"t":"${unit.repeat(Math.floor(left / size))}${'x'.repeat(left % size)}"}`;
};

describe('the media type', () => {
  it.each([
    undefined,
    '',
    'text/plain',
    'application/xml',
    'application/json-patch+json',
    'application/jsonx',
    'application/json; charset=latin1',
  ])('%s is not taken', (contentType) => {
    expect(codeOf({ contentType })).toBe('unsupported-media-type');
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    ' application/json ',
  ])('%s is taken', (contentType) => {
    expect(codeOf({ contentType })).toBe('accepted');
    expect(isJson(contentType)).toBe(true);
  });
});

describe('case 1 the key', () => {
  it.each([undefined, '', '   '])('missing: %o', (idempotencyKey) => {
    expect(codeOf({ idempotencyKey })).toBe('missing-idempotency-key');
  });

  it.each(['""', '"', '"a', 'a"', 'a b', 'a/b', 'ä', 'a,b', '"a" "b"', 'a\nb', 'a'.repeat(65), `"${'a'.repeat(65)}"`])(
    'not valid: %s',
    (idempotencyKey) => {
      expect(codeOf({ idempotencyKey })).toBe('invalid-idempotency-key');
    },
  );

  it.each(['a', '"a"', 'a'.repeat(64), `"${'a'.repeat(64)}"`, 'AZaz09._:-', ' padded '])(
    'valid: %s',
    (idempotencyKey) => {
      expect(codeOf({ idempotencyKey })).toBe('accepted');
    },
  );
});

describe('the body', () => {
  it.each<[string, string | undefined, string]>([
    ['absent', undefined, 'invalid-request'],
    ['empty', '', 'invalid-request'],
    ['not JSON', '{', 'invalid-request'],
    ['a list', '[]', 'invalid-request'],
    ['null', 'null', 'invalid-request'],
    ['a text', '"x"', 'invalid-request'],
    ['without type', '{"payload":{}}', 'invalid-request'],
    ['without payload', '{"type":"any"}', 'invalid-request'],
    ['a type that is a number', '{"type":1,"payload":{}}', 'invalid-request'],
    ['an empty type', '{"type":"","payload":{}}', 'invalid-request'],
    ['a type of 101 characters', `{"type":"${'a'.repeat(101)}","payload":{}}`, 'invalid-request'],
    ['an unknown type', '{"type":"other","payload":{}}', 'unknown-job-type'],
    ['a type from the prototype', '{"type":"constructor","payload":{}}', 'unknown-job-type'],
    ['an unknown member', '{"type":"any","payload":{},"priority":1}', 'invalid-request'],
    ['a member __proto__', '{"type":"any","payload":{},"__proto__":{}}', 'invalid-request'],
    ['all in __proto__', '{"__proto__":{"type":"any","payload":{}}}', 'invalid-request'],
    ['a number that does not survive', '{"type":"any","payload":{"n":9007199254740993}}', 'invalid-request'],
    ['half a surrogate pair', '{"type":"any","payload":{"t":"\\ud800"}}', 'invalid-request'],
    ['a payload of null', '{"type":"any","payload":null}', 'accepted'],
    ['a payload that its type refuses', '{"type":"ledger.credit","payload":null}', 'invalid-request'],
  ])('%s', (_, body, code) => {
    expect(codeOf({ body })).toBe(code);
  });

  it.each([
    ['null', '/options'],
    ['[]', '/options'],
    ['{"priority":1}', '/options/priority'],
    ['{"__proto__":1}', '/options/__proto__'],
    ['{"delaySeconds":-1}', '/options/delaySeconds'],
    ['{"delaySeconds":901}', '/options/delaySeconds'],
    ['{"delaySeconds":1.5}', '/options/delaySeconds'],
    ['{"delaySeconds":"1"}', '/options/delaySeconds'],
    ['{"delaySeconds":null}', '/options/delaySeconds'],
    ['{"deadlineSeconds":0}', '/options/deadlineSeconds'],
    ['{"deadlineSeconds":1209601}', '/options/deadlineSeconds'],
    ['{"waitBudgetSeconds":-1}', '/options/waitBudgetSeconds'],
    ['{"waitBudgetSeconds":43201}', '/options/waitBudgetSeconds'],
  ])('options %s are not valid at %s', (text, pointer) => {
    expect(refusal({ body: options(text) })?.code).toBe('invalid-request');
    expect(pointers(options(text))).toEqual([pointer]);
  });

  it.each([
    '{}',
    '{"delaySeconds":0}',
    '{"delaySeconds":900}',
    '{"delaySeconds":3.0}',
    '{"deadlineSeconds":1}',
    '{"deadlineSeconds":1209600}',
    '{"waitBudgetSeconds":0}',
    '{"waitBudgetSeconds":43200}',
  ])('options %s are valid', (text) => {
    expect(codeOf({ body: options(text) })).toBe('accepted');
  });

  it('names each wrong field as an RFC 6901 pointer', () => {
    expect(pointers('{"type":"ledger.credit","payload":{"account":"","amount":0,"a/b~c":1}}')).toEqual([
      '/payload/account',
      '/payload/amount',
      '/payload/a~1b~0c',
    ]);
  });

  it('names at most 20 of them', () => {
    const names = Array.from({ length: 30 }, (_, i) => `"x${i}":1`).join(',');
    expect(pointers(`{"type":"any","payload":{},${names}}`)).toHaveLength(20);
  });
});

describe('the size of the payload', () => {
  it.each([
    ['x', 'ASCII'],
    ['ä', 'two bytes'],
    ['€', 'three bytes'],
    ['\u{1F600}', 'four bytes'],
  ])('65,536 bytes are taken, 65,537 are not: %s (%s)', (unit) => {
    const at = (bytes: number) => codeOf({ body: `{"type":"any","payload":${sized(bytes, unit)}}` });
    expect([at(65_535), at(65_536), at(65_537)]).toEqual(['accepted', 'accepted', 'payload-too-large']);
  });

  it('counts the canonical form: neither white space nor escapes nor zeros', () => {
    const escaped = sized(65_536).replaceAll('x', '\\u0078');
    expect(codeOf({ body: `{"type":"any",   "payload" : ${escaped} }` })).toBe('accepted');
  });

  it('is checked before the shape and the type', () => {
    const large = sized(65_537);
    for (const rest of ['"type":1', '"type":"other"', '"extra":1'])
      expect(codeOf({ body: `{${rest},"payload":${large}}` })).toBe('payload-too-large');
  });

  it('a body beyond what any valid one could need is not even parsed', () => {
    const body = (bytes: number) => ' '.repeat(bytes - (good.body ?? '').length) + good.body;
    expect(codeOf({ body: body(bounds.requestBodyBytes) })).toBe('accepted');
    expect(codeOf({ body: body(bounds.requestBodyBytes + 1) })).toBe('payload-too-large');
  });
});

it('the order of the checks: media type, key, body, type, payload', () => {
  const bad = { contentType: 'text/plain', idempotencyKey: '', body: '{' };
  expect(codeOf(bad)).toBe('unsupported-media-type');
  expect(codeOf({ ...bad, contentType: good.contentType })).toBe('missing-idempotency-key');
  expect(codeOf({ body: bad.body })).toBe('invalid-request');
});

it('G10 no refusal repeats a payload or a key', () => {
  const secret = 'the-secret-value';
  const bodies = [
    `{"type":"ledger.credit","payload":{"account":"${secret}!","amount":"${secret}"}}`,
    `{"type":"any","payload":"${secret}`,
  ];
  for (const body of bodies) expect(JSON.stringify(refusal({ body }))).not.toContain(secret);
  expect(JSON.stringify(refusal({ idempotencyKey: `${secret} !` }))).not.toContain(secret);
});
