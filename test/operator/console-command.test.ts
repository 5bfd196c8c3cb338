import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { statusLike } from './support/answers.ts';
import { fakeApi, problem } from './support/fake-api.ts';
import { sluiceAt } from './support/sluice.ts';

const launcher = fileURLToPath(new URL('../../operator/sluice.mjs', import.meta.url));

const start = async (...args: readonly string[]) => {
  const child: ChildProcess = spawn(process.execPath, [launcher, 'console', ...args], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the console has no output');
  const notes = text(stderr);
  const url = await new Promise<string>((resolve) => createInterface(stdout).once('line', resolve));
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  return { child, url, notes, ended };
};

describe('sluice console', () => {
  test('serves with the credentials of the operator, which stay with it, and ends on SIGINT', async () => {
    const api = await fakeApi(() => ({ body: statusLike() }));
    const { child, url, notes, ended } = await start('--api-url', api.url);
    const { origin, hash } = new URL(url);
    const headers = { 'x-sluice-token': hash.replace('#token=', '') };

    const answer = await fetch(`${origin}/api/operator/status`, { headers });
    expect(await answer.json()).toEqual(statusLike());
    expect(api.calls.at(-1)?.headers['authorization']).toMatch(/^AWS4-HMAC-SHA256 Credential=test\//);
    expect(api.calls.at(-1)?.headers).not.toHaveProperty('x-sluice-token');
    const about = await (await fetch(`${origin}/api/about`, { headers })).text();
    expect(JSON.parse(about)).toEqual({ apiUrl: api.url, source: '--api-url', region: 'us-east-1' });

    child.kill('SIGINT');
    // The launcher hands it on, as the terminal does: the second one must not end it midway.
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(await notes).toContain('The console has ended.');
    await expect(fetch(origin)).rejects.toThrow('fetch failed');
  }, 30_000);

  test('takes a port, and says when it is in use', async () => {
    const api = await fakeApi(() => ({ body: statusLike() }));
    const { url, child, ended } = await start('--api-url', api.url, '--json');
    const { port } = new URL(JSON.parse(url).url);
    const second = await sluiceAt(api)(`console --port ${port}`);
    expect(second).toMatchObject({ code: 1, out: [] });
    expect(second.all).toContain(`Port ${port} is in use.`);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }, 30_000);

  test('tells before it begins that the credentials will not do, or that there is no API', async () => {
    const api = await fakeApi(() => problem(403, 'forbidden'));
    expect(await sluiceAt(api)('console')).toMatchObject({
      code: 1,
      out: [],
      all: expect.stringContaining('forbidden'),
    });
    expect(await sluiceAt({ url: 'http://127.0.0.1:9/v1' })('console')).toMatchObject({ code: 1, out: [] });
  });

  test.for(['console --port 0', 'console --port 65536', 'console --port x', 'console now'])(
    '%s is wrong',
    async (line) => {
      const api = await fakeApi(() => ({ body: statusLike() }));
      expect(await sluiceAt(api)(line)).toMatchObject({ code: 2, out: [] });
    },
  );
});
