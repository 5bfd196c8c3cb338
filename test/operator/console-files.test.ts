import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readAssets } from '../../operator/console/assets.ts';
import { consoleOf } from './support/console.ts';

const page = new URL('../../operator/console/page/', import.meta.url);

describe('what the console serves', () => {
  test('is every file of the page, under its type', async () => {
    const { send } = await consoleOf();
    const files = readdirSync(page).filter((name) => name !== 'tsconfig.json' && name !== 'index.html');
    expect([...readAssets().keys()].sort()).toEqual(['/', ...files.map((name) => `/${name}`)].sort());
    const types: Readonly<Record<string, string>> = {
      js: 'text/javascript; charset=utf-8',
      css: 'text/css; charset=utf-8',
      svg: 'image/svg+xml',
    };
    for (const name of files) {
      const { status, headers, text } = await send(`/${name}`);
      expect({ name, status, type: headers['content-type'] }).toEqual({
        name,
        status: 200,
        type: types[name.split('.').at(-1) ?? ''],
      });
      expect(text).toBe(readFileSync(new URL(name, page), 'utf8'));
    }
  });

  test.for([
    '/../server.ts',
    '/../../client.ts',
    '/..%2fserver.ts',
    '/%2e%2e/server.ts',
    '/..\\server.ts',
    '/....//server.ts',
    '//app.js',
    '/./app.js',
    '/app.js/',
    '/app.js%00.css',
    '/APP.JS',
    '/index.html',
    '/tsconfig.json',
    '/page/app.js',
    '/app%2ejs',
    '/__proto__',
    '/constructor',
    '/.',
    '/etc/passwd',
    '//etc/passwd',
    'http://127.0.0.1/app.js',
    '*',
  ])('is no file by another spelling: %s', async (target) => {
    const { send } = await consoleOf();
    const { status, json } = await send(target);
    expect([status, json().code]).toEqual([404, 'route-not-found']);
  });

  test('is only read', async () => {
    const { send } = await consoleOf();
    expect((await send('/', { method: 'HEAD' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE']) {
      const { status, headers } = await send('/', { method });
      expect({ method, status, allow: headers['allow'] }).toEqual({ method, status: 405, allow: 'GET, HEAD' });
    }
  });

  test('has the headers that keep other sites and stray scripts out, refusals too', async () => {
    const { send, own } = await consoleOf();
    const answers = [
      await send('/'),
      await send('/app.js'),
      await send('/nothing'),
      await send('/api/operator/status', { headers: own }),
      await send('/api/operator/status'),
      await send('/', { headers: { host: 'evil.example' } }),
    ];
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-origin',
        'cross-origin-opener-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types 'none'",
        ]),
      );
      expect(policy.join()).not.toMatch(/unsafe|https?:|data:|\*/);
    }
  });

  test('names nothing inline and nothing from elsewhere', () => {
    const html = readFileSync(new URL('index.html', page), 'utf8');
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*\ssrc=")|javascript:/i);
    for (const [, url = ''] of html.matchAll(/(?:src|href)="([^"]*)"/g)) expect(url).toMatch(/^(\/[a-z.-]+|#.*)$/);
    for (const name of readdirSync(page).filter((file) => file.endsWith('.js'))) {
      const code = readFileSync(new URL(name, page), 'utf8');
      expect({
        name,
        found: /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/.test(code),
      }).toEqual({
        name,
        found: false,
      });
    }
  });
});
