import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { startConsole } from '../../operator/console/server.ts';
import { answered, consoleOf } from './support/console.ts';

describe('who may speak to the console', () => {
  test('a name that was made to point here is turned away, for the page and for the API (DNS rebinding)', async () => {
    const { send, own, port, calls } = await consoleOf();
    const hosts = ['evil.example', `evil.example:${port}`, `localhost:${port}`, '127.0.0.1', `127.0.0.1:${port + 1}`];
    for (const host of [...hosts, `127.0.0.1.nip.io:${port}`, `127.0.0.1:${port}.evil.example`, `[::1]:${port}`]) {
      for (const target of ['/', '/app.js', '/api/operator/status']) {
        const { status, json } = await send(target, { headers: { ...own, host } });
        expect({ host, target, status, code: json().code }).toEqual({ host, target, status: 421, code: 'wrong-host' });
      }
    }
    expect(calls).toEqual([]);
  });

  test('a page of another site is turned away, even with the token (cross-site requests)', async () => {
    const { send, own, ownPost, origin, calls } = await consoleOf();
    const foreign = ['https://evil.example', 'null', 'http://127.0.0.1', origin.replace('http', 'https'), `${origin}0`];
    for (const from of foreign) {
      const read = await send('/api/operator/status', { headers: { ...own, origin: from } });
      const write = await send('/api/operator/intake', {
        method: 'POST',
        headers: { ...ownPost, origin: from },
        body: '{"state":"closed"}',
      });
      expect([read.status, write.status]).toEqual([403, 403]);
      expect(write.json().code).toBe('wrong-origin');
      expect(write.headers['access-control-allow-origin']).toBeUndefined();
    }
    for (const site of ['cross-site', 'same-site', 'none']) {
      const { status } = await send('/api/operator/status', { headers: { ...own, 'sec-fetch-site': site } });
      expect({ site, status }).toEqual({ site, status: 403 });
    }
    const nameless = await send('/api/operator/intake', {
      method: 'POST',
      headers: { ...ownPost, origin: undefined },
      body: '{}',
    });
    expect(nameless.status).toBe(403);
    const preflight = await send('/api/operator/intake', {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(403);
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
    expect(calls).toEqual([]);
  });

  test('without the token of this start nothing of the API is answered', async () => {
    const { send, own, token, calls } = await consoleOf();
    const other = await consoleOf();
    for (const given of [undefined, '', 'x', token.slice(0, -1), `${token}x`, token.toUpperCase(), other.token]) {
      for (const target of ['/api/operator/status', '/api/about', '/api/nothing']) {
        const { status, json } = await send(target, { headers: { ...own, 'x-sluice-token': given } });
        expect({ given, status, code: json().code }).toEqual({ given, status: 401, code: 'wrong-token' });
      }
    }
    expect(calls).toEqual([]);
    expect((await send('/api/operator/status', { headers: own })).status).toBe(200);
  });

  test('the token stands in the fragment, which is sent to nobody, and in nothing that is served', async () => {
    const { url, token, send } = await consoleOf();
    expect(new URL(url).hash).toBe(`#token=${token}`);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    for (const target of ['/', '/app.js', '/api.js']) expect((await send(target)).text).not.toContain(token);
  });

  test('it listens on loopback and nowhere else', async () => {
    const { port } = await consoleOf();
    const outside = Object.values(networkInterfaces())
      .flat()
      .filter((address) => address !== undefined && !address.internal && address.family === 'IPv4');
    for (const address of outside) {
      await expect(fetch(`http://${address?.address}:${port}/`)).rejects.toThrow('fetch failed');
    }
    // Somebody else may have the port on all other addresses: ours is bound to one.
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.2', resolve));
    await new Promise((resolve) => other.close(resolve));
  });

  test('a port that is taken is an error', async () => {
    const { port } = await consoleOf();
    const about = { apiUrl: '', source: '', region: '' };
    const second = startConsole({ upstream: async () => answered(200, {}), about, port, report: () => undefined });
    await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
