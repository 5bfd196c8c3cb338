import { beforeAll, describe, expect } from 'vitest';
import { test } from '#test/support/system/own.ts';
import { expectFieldProblem } from '#test/support/system/problem.ts';
import { api, jobIn, reset } from '#test/support/system/stack.ts';
import { startReceiver } from '#test/support/webhook/receiver.ts';

beforeAll(reset, 90_000);

const submit = async (key: string, payload: unknown): Promise<string> => {
  const answer = await api.submit(key, 'webhook.deliver', payload);
  expect(answer.status).toBe(202);
  return answer.body.id;
};

describe('webhook.deliver', () => {
  test('delivers with the job id as key, and shows the status as its result', async ({ own }) => {
    const receiver = await startReceiver();
    const id = await submit(own.key(), {
      url: `${receiver.origin}/hooks`,
      body: { n: 1 },
      headers: { 'x-request-id': 'r-1' },
    });
    expect(await jobIn(id, 'succeeded')).toMatchObject({ result: { status: 200 }, attempt: 1 });
    expect(receiver.received).toMatchObject([
      { path: '/hooks', body: '{"n":1}', headers: { 'idempotency-key': id, 'x-request-id': 'r-1' } },
    ]);
  });

  test('G3 outside: an attempt whose answer is lost is repeated, and the receiver has one effect', async ({ own }) => {
    const effects = new Map<unknown, unknown>();
    const receiver = await startReceiver(({ headers, body }, response, n) => {
      const key = headers['idempotency-key'];
      if (!effects.has(key)) effects.set(key, body);
      if (n === 1) response.socket?.destroy();
      else response.writeHead(200).end();
    });
    const id = await submit(own.key(), { url: receiver.origin, body: 'once' });
    expect(await jobIn(id, 'succeeded')).toMatchObject({ attempt: 2, starts: 2 });
    expect(receiver.received).toHaveLength(2);
    expect([...effects]).toEqual([[id, '"once"']]);
  });

  test('G5: waits as long as Retry-After asks, and says so in the history', async ({ own }) => {
    const times: number[] = [];
    const receiver = await startReceiver((_, response, n) => {
      times.push(Date.now());
      response.writeHead(n === 1 ? 503 : 200, { 'retry-after': '3' }).end();
    });
    const id = await submit(own.key(), { url: receiver.origin, body: null });
    const job = await jobIn(id, 'succeeded');
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(3_000);
    expect(job.history).toContainEqual(
      expect.objectContaining({
        event: 'retry',
        detail: expect.objectContaining({ waitSeconds: 3, code: 'retryable-error' }),
      }),
    );
  });

  test('G5: a Retry-After beyond the wait budget ends the job', async ({ own }) => {
    const receiver = await startReceiver((_, response) => response.writeHead(429, { 'retry-after': '3600' }).end());
    const id = await submit(own.key(), { url: receiver.origin, body: null });
    expect((await jobIn(id, 'dead')).reason.code).toBe('wait-budget-exhausted');
    expect(receiver.received).toHaveLength(1);
  });

  test.for([
    ['a host that is not listed', () => 'https://hooks.example/', /is not on the list of hosts/],
    ['a redirect', (origin: string) => `${origin}/redirect`, /answered 302; redirects are not followed/],
    ['a refusal', (origin: string) => `${origin}/gone`, /answered 410$/],
  ] as const)('%s kills the job at its first attempt', async ([, urlOf, message], { own }) => {
    const receiver = await startReceiver(({ path }, response) =>
      response.writeHead(path === '/gone' ? 410 : 302, { location: 'http://127.0.0.1:1/' }).end('secret answer'),
    );
    const id = await submit(own.key(), { url: urlOf(receiver.origin), body: 1 });
    const job = await jobIn(id, 'dead');
    expect(job).toMatchObject({
      attempt: 1,
      reason: { code: 'permanent-error', message: expect.stringMatching(message) },
    });
    expect(JSON.stringify(job)).not.toContain('secret answer');
  });

  test('a payload that does not fit is refused at once', async ({ own }) => {
    const payload = { url: 'ftp://hooks.example', body: 1, headers: { authorization: 'x' }, method: 'PUT' };
    const answer = await api.submit(own.key(), 'webhook.deliver', payload);
    expectFieldProblem(answer, ['/payload/url', '/payload/headers/authorization', '/payload/method']);
  });
});
