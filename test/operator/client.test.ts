import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { ApiClient, NoAnswerError } from '../../operator/client.ts';
import { fakeApi } from './support/fake-api.ts';

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' };
const region = 'eu-west-1';

describe('the client', () => {
  test('signs for execute-api in its region, temporary credentials with their token', async () => {
    const api = await fakeApi(() => ({ body: {} }));
    await new ApiClient({ apiUrl: api.url, region, credentials: { ...credentials, sessionToken: 'token' } }).call(
      'GET',
      '/jobs',
    );
    const headers = api.calls[0]?.headers;
    expect(headers?.['x-amz-security-token']).toBe('token');
    expect(headers?.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-west-1\/execute-api\/aws4_request,/,
    );
    expect(headers?.authorization).toMatch(/SignedHeaders=[^,]*x-amz-security-token/);
  });

  test('asks for credentials before each call', async () => {
    const api = await fakeApi(() => ({ body: {} }));
    let asked = 0;
    const fresh = async () => ({ ...credentials, accessKeyId: `AKID${++asked}` });
    const client = new ApiClient({ apiUrl: api.url, region, credentials: fresh });
    await client.call('GET', '/jobs');
    await client.submit('k', 't', {});
    expect(api.calls.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1])).toEqual([
      'AKID1',
      'AKID2',
    ]);
  });

  test('gives the body as it came beside its JSON', async () => {
    const api = await fakeApi(() => ({ status: 202, body: '{ "a": 1.0 }' }));
    const client = new ApiClient({ apiUrl: api.url, region, credentials });
    expect(await client.call('POST', '/jobs', {})).toMatchObject({ status: 202, body: { a: 1 }, text: '{ "a": 1.0 }' });
  });

  test('does not carry its signature to where a redirect points', async () => {
    const elsewhere = await fakeApi(() => ({ body: {} }));
    const api = await fakeApi(() => ({ status: 307, headers: { location: `${elsewhere.url}/jobs` }, body: '' }));
    const client = new ApiClient({ apiUrl: api.url, region, credentials });
    expect(await client.call('GET', '/jobs')).toMatchObject({ status: 307, body: undefined });
    expect(elsewhere.calls).toEqual([]);
  });

  test('says that nothing listens, or that a name is not known', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    for (const [apiUrl, why] of [
      [`http://127.0.0.1:${port}`, 'the connection was refused'],
      ['https://nowhere.invalid', 'https://nowhere.invalid'],
    ] as const) {
      const call = new ApiClient({ apiUrl, region, credentials }).call('GET', '/jobs');
      await expect(call).rejects.toBeInstanceOf(NoAnswerError);
      await expect(call).rejects.toThrow(why);
    }
  });

  test('gives up in time', async () => {
    const api = await fakeApi(() => undefined);
    const client = new ApiClient({ apiUrl: api.url, region, credentials, timeoutMs: 100 });
    await expect(client.call('GET', '/jobs')).rejects.toThrow('did not answer in 0.1 s');
  });

  test('does not take a page for an answer', async () => {
    const api = await fakeApi(() => ({ status: 502, headers: { 'content-type': 'text/html' }, body: '<html>' }));
    const client = new ApiClient({ apiUrl: api.url, region, credentials });
    await expect(client.call('GET', '/jobs')).rejects.toThrow('answered 502 with text/html instead of JSON');
  });
});
