import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../operator/cli/exit.ts';
import { NoAnswerError } from '../../operator/client.ts';
import { jobLike, someId } from './support/answers.ts';
import { answered, consoleOf } from './support/console.ts';

const id = someId(7);

describe('the calls that are passed on', () => {
  test.for([
    ['GET', '/operator/status'],
    ['GET', '/operator/jobs'],
    ['GET', '/operator/jobs?state=dead&type=ledger.credit&tenant=a%2Fb&limit=5&cursor=abc'],
    ['GET', `/operator/jobs/${id}`],
    ['POST', `/operator/jobs/${id}/cancel`],
    ['GET', '/operator/dead?reason=worker-lost&limit=100'],
    ['POST', '/operator/dead/redrive'],
    ['POST', '/operator/dead/discard'],
    ['POST', '/operator/intake'],
    ['POST', '/operator/capacity'],
    ['POST', '/operator/consumer'],
  ] as const)('%s %s', async ([method, path]) => {
    const { send, own, ownPost, calls } = await consoleOf();
    const isPost = method === 'POST';
    const { status, json } = await send(`/api${path}`, {
      method,
      headers: isPost ? ownPost : own,
      ...(isPost && { body: '{"a":[1,"ü"]}' }),
    });
    expect([status, json()]).toEqual([200, { fine: true }]);
    expect(calls).toEqual([{ method, path, body: isPost ? { a: [1, 'ü'] } : undefined }]);
  });

  test.for([
    ['GET', '/api/', 404],
    ['GET', '/api/operator', 404],
    ['GET', '/api/operator/status/', 404],
    ['GET', '/api/operator/../jobs', 404],
    ['GET', '/api/operator/%73tatus', 404],
    ['GET', '/api//operator/status', 404],
    ['GET', '/api/operator/jobs/xyz', 404],
    ['GET', `/api/operator/jobs/${id}/../../status`, 404],
    ['GET', `/api/operator/jobs/${id.toUpperCase().replaceAll('0', 'A')}`, 404],
    ['GET', '/api/jobs', 404],
    ['POST', '/api/jobs', 404],
    ['POST', '/api/jobs/batch', 404],
    ['POST', '/api/operator/dead/purge', 404],
    ['POST', '/api/http://evil.example/', 404],
    ['POST', '/api/operator/status', 405],
    ['GET', '/api/operator/intake', 405],
    ['DELETE', `/api/operator/jobs/${id}`, 405],
    ['PUT', '/api/operator/capacity', 405],
    ['POST', '/api/about', 404],
    ['GET', '/api/operator/status?x=1', 400],
    ['GET', '/api/operator/jobs?payload=true', 400],
    ['POST', '/api/operator/intake?state=open', 400],
  ] as const)('are no others: %s %s is %i', async ([method, target, wanted]) => {
    const { send, ownPost, calls } = await consoleOf();
    const { status, headers, json } = await send(target, {
      method,
      headers: ownPost,
      ...(method === 'POST' && { body: '{}' }),
    });
    expect([status, json().status, headers['content-type']]).toEqual([wanted, wanted, 'application/problem+json']);
    expect(calls).toEqual([]);
  });

  test('bring the answer back as it is: a problem with its status and how long to wait', async () => {
    const problem = {
      type: 'about:blank',
      title: 'Too Many Requests',
      status: 429,
      detail: 'Later.',
      code: 'rate-limited',
    };
    const { send, own } = await consoleOf(async () =>
      answered(429, problem, { 'retry-after': '3', 'set-cookie': 'a=b' }),
    );
    const { status, headers, json } = await send('/api/operator/status', { headers: own });
    expect([status, json()]).toEqual([429, problem]);
    expect(headers).toMatchObject({ 'content-type': 'application/problem+json', 'retry-after': '3' });
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('leave payload and result behind, unless they are asked for of one job', async () => {
    const job = jobLike({ id, payload: { secret: 'p-marker' }, result: { secret: 'r-marker' } });
    const { send, own, ownPost, calls } = await consoleOf(async (_method, path) =>
      answered(200, /\/(jobs|dead)(\?|$)/.test(path) ? { jobs: [job], cursor: 'c' } : job),
    );
    for (const target of ['/api/operator/jobs', '/api/operator/dead', `/api/operator/jobs/${id}`]) {
      const { text } = await send(target, { headers: own });
      expect(text).toContain(id);
      expect(text).not.toContain('marker');
    }
    const cancelled = await send(`/api/operator/jobs/${id}/cancel`, { method: 'POST', headers: ownPost, body: '{}' });
    expect(cancelled.text).not.toContain('marker');
    const whole = await send(`/api/operator/jobs/${id}?content=true`, { headers: own });
    expect(whole.json()).toEqual(job);
    expect(calls.at(-1)?.path).toBe(`/operator/jobs/${id}`);
  });
});

describe('what goes wrong', () => {
  test('a body that is no JSON, of another type, or too large is refused here', async () => {
    const { send, ownPost, calls } = await consoleOf();
    const post = (body: string, headers: Readonly<Record<string, string | undefined>> = {}) =>
      send('/api/operator/intake', { method: 'POST', headers: { ...ownPost, ...headers }, body });
    expect((await post('{bad')).json()).toMatchObject({ status: 400, code: 'invalid-request' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json-patch+json', undefined]) {
      expect((await post('{}', { 'content-type': type })).status).toBe(415);
    }
    expect((await post(JSON.stringify('x'.repeat(32_766)))).status).toBe(200);
    expect((await post(JSON.stringify('x'.repeat(32_767)))).json()).toMatchObject({ status: 413 });
    expect(calls).toHaveLength(1);
  });

  test('an API that does not answer is told, with what may help', async () => {
    const none = await consoleOf(async () => {
      throw new NoAnswerError('https://api.invalid did not answer in 30 s.');
    });
    const told = (await none.send('/api/operator/status', { headers: none.own })).json();
    expect(told).toMatchObject({
      status: 502,
      code: 'no-answer',
      detail: 'https://api.invalid did not answer in 30 s.',
    });
    const expired = await consoleOf(async () => {
      throw new Failure('No credentials were found: the token has expired', 'Sign in.');
    });
    const answer = (await expired.send('/api/operator/status', { headers: expired.own })).json();
    expect(answer).toMatchObject({ status: 502, detail: expect.stringContaining('expired'), fix: 'Sign in.' });
  });

  test('what nobody foresaw is told to the terminal, and to the page only that it was', async () => {
    const { send, own, reported } = await consoleOf(async () => {
      throw new TypeError('secret marker');
    });
    const { status, text } = await send('/api/operator/status', { headers: own });
    expect(status).toBe(500);
    expect(text).not.toContain('marker');
    expect(reported).toEqual([expect.objectContaining({ message: 'secret marker' })]);
  });

  test('a caller that goes away in the middle of its body does no harm', async () => {
    const { port, send, own, ownPost, calls } = await consoleOf();
    const socket = connect(port, '127.0.0.1');
    const headers = Object.entries({ ...ownPost, host: `127.0.0.1:${port}`, 'content-length': '100' });
    socket.write(
      `POST /api/operator/intake HTTP/1.1\r\n${headers.map(([n, v]) => `${n}: ${v}`).join('\r\n')}\r\n\r\n{"st`,
    );
    await new Promise<void>((resolve) => socket.end(() => resolve()));
    expect((await send('/api/operator/status', { headers: own })).status).toBe(200);
    expect(calls.map(({ path }) => path)).toEqual(['/operator/status']);
  });

  test('stop lets a call that is under way come to its end', async () => {
    let finish = (): void => undefined;
    const { send, own, stop, calls } = await consoleOf(async () => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return answered(200, { late: true });
    });
    const late = send('/api/operator/status', { headers: own });
    await expect.poll(() => calls.length).toBe(1);
    const stopped = stop();
    finish();
    expect((await late).json()).toEqual({ late: true });
    await stopped;
    await expect(send('/')).rejects.toMatchObject({ code: expect.stringMatching(/^ECONNRE(SET|FUSED)$/) });
  });
});
