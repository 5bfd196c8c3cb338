import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { admit } from '#core/admit.ts';
import { fingerprintOf, jobId, keyDigest, scopeOf, strayId } from '#core/identity.ts';
import { checkSubmission, type RawSubmission, type Submission } from '#core/submission.ts';
import { limits, slotAt, t0 } from '#test/support/core/jobs.ts';

const submit = (body: string, over: Partial<RawSubmission> = {}): Submission => {
  const raw = { scope: 's', contentType: 'application/json', idempotencyKey: 'k', body, ...over };
  const checked = checkSubmission(raw, () => () => []);
  if (!checked.ok) throw new Error(checked.problem.code);
  return checked.value;
};
const base = '{"type":"any","payload":{"a":1,"b":[1,2]}}';

describe('G4 the same request has the same fingerprint', () => {
  it.each([
    ['options {}', '{"type":"any","payload":{"a":1,"b":[1,2]},"options":{}}'],
    ['other order', '{"payload":{"b":[1,2],"a":1},"type":"any"}'],
    ['white space', ' { "type" : "any" , "payload" : { "a" : 1 , "b" : [ 1 , 2 ] } } '],
    ['numbers by value', '{"type":"any","payload":{"a":1.0,"b":[10e-1,2.00]}}'],
    ['escapes', '{"type":"\\u0061ny","payload":{"\\u0061":1,"b":[1,2]}}'],
  ])('%s', (_, body) => {
    expect(submit(body).fingerprint).toBe(submit(base).fingerprint);
    expect(submit(body).payload).toBe(submit(base).payload);
  });

  it('options in another order', () => {
    const [one, two] = ['{"delaySeconds":1,"deadlineSeconds":2}', '{"deadlineSeconds":2,"delaySeconds":1.0}'].map(
      (options) => submit(`{"type":"any","payload":1,"options":${options}}`),
    );
    expect(one?.fingerprint).toBe(two?.fingerprint);
  });
});

describe('G4 another request has another fingerprint', () => {
  it.each([
    ['another value', '{"type":"any","payload":{"a":2,"b":[1,2]}}'],
    ['a text for a number', '{"type":"any","payload":{"a":"1","b":[1,2]}}'],
    ['a list in another order', '{"type":"any","payload":{"a":1,"b":[2,1]}}'],
    ['a member more', '{"type":"any","payload":{"a":1,"b":[1,2],"c":null}}'],
    ['another type', '{"type":"other","payload":{"a":1,"b":[1,2]}}'],
    [
      'an option, even at its default',
      '{"type":"any","payload":{"a":1,"b":[1,2]},"options":{"waitBudgetSeconds":900}}',
    ],
    ['a __proto__ member', '{"type":"any","payload":{"a":1,"b":[1,2],"__proto__":{}}}'],
  ])('%s', (_, body) => {
    expect(submit(body).fingerprint).not.toBe(submit(base).fingerprint);
  });
});

describe('a job id', () => {
  it('is the first 16 bytes of the SHA-256 of the canonical [scope, type, key]', () => {
    const digest = createHash('sha256').update('["s","any","k"]').digest('hex');
    expect(submit(base).id).toBe(digest.slice(0, 32));
    expect(jobId('s', 'any', 'k')).toBe(digest.slice(0, 32));
  });

  it('case 1 depends on scope, type and key, each for itself', () => {
    const ids = [
      jobId('s', 't', 'k'),
      jobId('s2', 't', 'k'),
      jobId('s', 't2', 'k'),
      jobId('s', 't', 'k2'),
      jobId('t', 's', 'k'),
      jobId('s","t', 'k', ''),
      jobId('st', '', 'k'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('does not depend on the payload, nor on how the key is quoted', () => {
    const one = submit(base);
    expect(submit('{"type":"any","payload":2}').id).toBe(one.id);
    const quoted = submit(base, { idempotencyKey: ' "k" ' });
    expect([quoted.id, quoted.key]).toEqual([one.id, 'k']);
  });
});

it('the fingerprint is the SHA-256 of type, payload and options in canonical form', () => {
  const digest = createHash('sha256').update('{"options":{},"payload":{"a":1},"type":"any"}').digest('hex');
  expect(fingerprintOf('any', { a: 1 }, {})).toBe(digest);
  expect(submit('{"type":"any","payload":{"a":1}}').fingerprint).toBe(digest);
});

it('what was checked is what is admitted', () => {
  const s = submit('{"type":"any","payload":{"b":1.0,"a":2},"options":{"delaySeconds":3.0}}');
  const job = admit({ ...s, payload: { inline: s.payload }, slot: slotAt(t0), now: t0 }, limits);
  expect(job).toMatchObject({
    payload: { inline: '{"a":2,"b":1}' },
    options: { delaySeconds: 3 },
    nextAttemptAt: t0 + 3_000,
  });
});

describe('the scope of a caller', () => {
  const accountId = '123456789012';
  it('is account and principal', () => {
    expect(scopeOf({ accountId, caller: 'AIDAUSER' })).toBe('123456789012/AIDAUSER');
  });

  it('is one for two sessions of a role, and another for another role or account', () => {
    const one = scopeOf({ accountId, caller: 'AROAROLE:session-1' });
    expect(scopeOf({ accountId, caller: 'AROAROLE:session-2' })).toBe(one);
    expect(scopeOf({ accountId, caller: 'AROAOTHER:session-1' })).not.toBe(one);
    expect(scopeOf({ accountId: '210987654321', caller: 'AROAROLE:session-1' })).not.toBe(one);
  });

  it.each([
    {},
    { accountId },
    { caller: 'AROAROLE:s' },
    { accountId, caller: '' },
    { accountId, caller: ':s' },
    { accountId: '', caller: 'A' },
    { accountId: null, caller: null },
  ])('is undefined for %o', (identity) => {
    expect(scopeOf(identity)).toBeUndefined();
  });
});

describe('names', () => {
  it('a stray is named by its message, so that seeing it twice is seeing it once', () => {
    expect(strayId('m-1')).toMatch(/^stray-[0-9a-f]{32}$/);
    const again = strayId(['m', '1'].join('-'));
    expect([strayId('m-1') === again, strayId('m-2') === again]).toEqual([true, false]);
  });

  it('G10 a log line names a key by a digest that does not contain it', () => {
    expect(keyDigest('order-1')).toMatch(/^[0-9a-f]{12}$/);
    expect(keyDigest('order-1')).not.toBe(keyDigest('order-2'));
  });
});
