import { describe, expect, it } from 'vitest';
import { asCurl, type WireRequest } from './support/exchange.ts';
import { faultsIn } from './support/invariants.ts';

/* What judges ten thousand answers must itself be able to say no. */

const facts = {
  attacker: { accessKeyId: 'a', secretAccessKey: 'b' },
  markers: ['planted1'],
  ids: [],
  keys: [],
  tenants: [],
  cursors: [],
};
const wire: WireRequest = { method: 'GET', path: '/jobs', headers: [] };
const type = 'application/problem+json';
const good = {
  type: 'about:blank',
  title: 'Not Found',
  status: 404,
  detail: 'No job of yours has this id.',
  code: 'job-not-found',
  retryable: false,
  requestId: 'r',
};
const judged = (status: number, body: unknown, { contentType = type, milliseconds = 5, request = wire } = {}) =>
  faultsIn(
    request,
    { answer: { status, headers: new Headers({ 'content-type': contentType }), body }, milliseconds },
    facts,
  );

describe('an answer', () => {
  it('as it must be has no faults', () => {
    expect(judged(404, good)).toEqual([]);
    expect(judged(200, { jobs: [] }, { contentType: 'application/json' })).toEqual([]);
    expect(judged(503, { ...good, status: 503, code: 'intake-closed', retryable: true })).toEqual([]);
  });

  it.each<[string, number, unknown, object]>([
    ['a failure of ours', 500, { ...good, status: 500, code: 'internal' }, {}],
    ['a service that failed', 503, { ...good, status: 503, code: 'unavailable', retryable: true }, {}],
    ['late', 404, good, { milliseconds: 10_001 }],
    ['no problem', 400, { message: 'x' }, { contentType: 'application/json' }],
    ['a redirect', 302, undefined, {}],
    ['with a stack trace', 404, { ...good, detail: 'at handler (file:///var/task/index.mjs:1:1)' }, {}],
    ['with an error of the SDK', 404, { ...good, detail: 'ValidationException: key' }, {}],
    ['with a member more', 404, { ...good, cause: 'x' }, {}],
    ['of another status than it says', 400, good, {}],
    ['with what belongs to another tenant', 200, { jobs: ['planted1'] }, { contentType: 'application/json' }],
    [
      'of an operator’s refusal that quotes a tenant',
      404,
      { ...good, detail: 'planted1' },
      { request: { ...wire, path: '/operator/x' } },
    ],
    [
      'that the document does not say',
      200,
      { nothing: 1 },
      { contentType: 'application/json', request: { ...wire, call: 'GET /jobs' } },
    ],
  ])('%s has some', (_, status, body, options) => {
    expect(judged(status, body, options)).not.toEqual([]);
  });

  it('that never came is one', () => {
    expect(faultsIn(wire, { answer: undefined, milliseconds: 20_000, failure: 'aborted' }, facts)).toHaveLength(1);
  });
});

it('a request is shown as a line for a shell, whatever is in it', () => {
  const line = asCurl('http://h/v1', { method: 'POST', path: "/jobs'?%00", headers: [['a', "b'c"]], body: '\u0000' });
  expect(line).toBe(
    `echo AA== | base64 -d | curl -i --path-as-is --user test:test --aws-sigv4 aws:amz:us-east-1:execute-api -X 'POST' -H 'a: b'\\''c' --data-binary @- 'http://h/v1/jobs'\\''?%00'`,
  );
});
