import { describe, expect, it } from 'vitest';
import { readWebhookSettings } from '#functions/env.ts';
import { registry } from '#functions/jobs/registry.ts';
import { webhookSettings } from '#functions/jobs/webhook/settings.ts';
import { refusalOf } from '#functions/jobs/webhook/target.ts';
import { deliver, settings } from '#test/support/webhook/delivery.ts';

const check = registry.get('webhook.deliver')?.check ?? (() => []);
const good = { url: 'https://hooks.example/a', body: { n: 1 } };

describe('what a submission may bring', () => {
  it.each([
    good,
    { url: 'https://hooks.example', body: null },
    { url: 'HTTPS://Hooks.Example:8443/a?b=c', body: [] },
    { url: 'https://[2001:db8::1]/', body: 0 },
    { ...good, headers: {} },
    {
      ...good,
      headers: { Accept: 'application/json', 'accept-language': 'de', tracestate: 'a=b', 'X-Correlation-ID': '1' },
    },
    { ...good, headers: { 'x-request-id': 'x'.repeat(256) } },
    { url: `https://hooks.example/${'a'.repeat(2_026)}`, body: 1 },
  ])('%j', (payload) => {
    expect(check(payload)).toEqual([]);
  });

  it.each([
    ['no url', { body: 1 }, '/payload/url'],
    ['no body', { url: good.url }, '/payload/body'],
    ['a member more', { ...good, method: 'PUT' }, '/payload/method'],
    ['a relative url', { ...good, url: '/a' }, '/payload/url'],
    ['no url at all', { ...good, url: 'hooks.example' }, '/payload/url'],
    ['one slash', { ...good, url: 'https:/hooks.example' }, '/payload/url'],
    ['another scheme', { ...good, url: 'ftp://hooks.example/' }, '/payload/url'],
    ['a file', { ...good, url: 'file:///etc/passwd' }, '/payload/url'],
    ['a user', { ...good, url: 'https://me@hooks.example/' }, '/payload/url'],
    ['a password', { ...good, url: 'https://hooks.example:x@evil.example/' }, '/payload/url'],
    ['a fragment', { ...good, url: 'https://hooks.example/#a' }, '/payload/url'],
    ['a port that is none', { ...good, url: 'https://hooks.example:99999/' }, '/payload/url'],
    ['a url too long', { ...good, url: `https://hooks.example/${'a'.repeat(2_027)}` }, '/payload/url'],
    ['a url that is a number', { ...good, url: 7 }, '/payload/url'],
    ['headers in a list', { ...good, headers: [] }, '/payload/headers'],
    ['a header twice', { ...good, headers: { accept: 'a', Accept: 'b' } }, '/payload/headers'],
    ['a header value that is a number', { ...good, headers: { accept: 1 } }, '/payload/headers/accept'],
    ['an empty header value', { ...good, headers: { accept: '' } }, '/payload/headers/accept'],
    ['a line break in a header', { ...good, headers: { accept: 'a\r\nx-evil: 1' } }, '/payload/headers/accept'],
    ['a header beyond ASCII', { ...good, headers: { accept: 'ü' } }, '/payload/headers/accept'],
    ['a header too long', { ...good, headers: { accept: 'x'.repeat(257) } }, '/payload/headers/accept'],
  ])('%s is refused', (_, payload, pointer) => {
    expect(check(payload).map((error) => error.pointer)).toEqual([pointer]);
  });

  it.each([
    ...[
      'host',
      'content-type',
      'content-length',
      'transfer-encoding',
      'connection',
      'idempotency-key',
      'Idempotency-Key',
    ],
    ...['sluice-signature', 'user-agent', 'authorization', 'cookie', 'x-forwarded-for', 'x-http-method-override'],
    ...['expect', 'te', 'upgrade', 'x-amz-security-token', 'x-aws-ec2-metadata-token', 'constructor', 'a b', ''],
  ])('the header "%s" may not be set', (name) => {
    expect(check({ ...good, headers: { [name]: 'x' } })).toEqual([
      {
        pointer: `/payload/headers/${name}`,
        detail: expect.stringMatching(/^is no header that may be set; these may: accept, /),
      },
    ]);
  });
});

describe('where a stage delivers to', () => {
  const allowed = (hosts: readonly string[], url: string, allowHttp = false) =>
    refusalOf(new URL(url), settings({ hosts: [...hosts], allowHttp }));

  it.each([
    [['a.example'], 'https://a.example/x'],
    [['a.example'], 'https://A.EXAMPLE:443/'],
    [['b.example', 'a.example'], 'https://a.example/'],
    [['a.example:8443'], 'https://a.example:8443/'],
    [['a.example:443'], 'https://a.example/'],
    [['a.example:*'], 'https://a.example:1/'],
    [['[2606:4700::1]:8443'], 'https://[2606:4700:0::1]:8443/'],
    [['xn--bcher-kva.example'], 'https://bücher.example/'],
  ])('%j covers %s', (hosts, url) => {
    expect(allowed(hosts, url)).toBeUndefined();
  });

  it.each([
    [[], 'https://a.example/'],
    [['a.example'], 'https://b.a.example/'],
    [['a.example'], 'https://a.example.evil.example/'],
    [['a.example'], 'https://a.example./'],
    [['a.example'], 'https://axexample/'],
    [['a.example'], 'https://a.example:8443/'],
    [['a.example:8443'], 'https://a.example/'],
    [['a.example:80'], 'https://a.example/'],
    [['.example'], 'https://a.example/'],
  ])('%j does not cover %s', (hosts, url) => {
    expect(allowed(hosts, url)).toMatch(/^the host .* is not on the list of hosts that this deployment delivers to$/);
  });

  it('plain http only where it is said', () => {
    expect(allowed(['a.example'], 'http://a.example/')).toBe('only https is allowed');
    expect(allowed(['a.example'], 'http://a.example/', true)).toBeUndefined();
    expect(allowed(['a.example:80'], 'http://a.example/', true)).toBeUndefined();
    expect(allowed(['a.example'], 'http://a.example:443/', true)).toBeDefined();
  });

  it('a delivery elsewhere is refused for good, before the name is looked up', async () => {
    const lookup = async () => {
      throw new Error('must not be asked');
    };
    const delivered = await deliver(good, settings(), { lookup });
    expect(delivered).toMatchObject({ retryable: false, error: { name: 'DeliveryRefused' } });
    expect(delivered.error?.message).toMatch(/^the host hooks\.example is not on the list/);
  });
});

describe('the settings', () => {
  it('let nothing through unless they say so', () => {
    const nowhere = { hosts: [], allowHttp: false, allowPrivateAddresses: false };
    expect(readWebhookSettings({})).toEqual(nowhere);
    expect(readWebhookSettings({ WEBHOOK_SETTINGS: '{"hosts":[]}' })).toEqual(nowhere);
  });

  it('are read from the environment', () => {
    const given = { hosts: ['a.example'], allowHttp: true, allowPrivateAddresses: true, signingParameter: '/a/b' };
    expect(readWebhookSettings({ WEBHOOK_SETTINGS: JSON.stringify(given) })).toEqual(given);
  });

  it.each([
    '',
    'no json',
    '[]',
    '{"host":["a.example"]}',
    '{"hosts":["A.example"]}',
    '{"hosts":["*.example"]}',
    '{"hosts":["https://a.example"]}',
    '{"hosts":["a.example/x"]}',
    '{"hosts":["a.example:"]}',
    '{"hosts":[],"allowHttp":"yes"}',
    '{"hosts":[],"signingParameter":""}',
  ])('%s is refused', (text) => {
    expect(() => readWebhookSettings({ WEBHOOK_SETTINGS: text })).toThrow();
  });

  it('are those that the schema knows', () => {
    expect(webhookSettings.safeParse({ hosts: ['a.example'], more: 1 }).success).toBe(false);
  });
});
