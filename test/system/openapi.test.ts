import { beforeAll, describe, expect, inject, onTestFinished } from 'vitest';
import { needs } from '#test/support/engines/needs.ts';
import { differences } from '#test/support/openapi/answer.ts';
import { operations } from '#test/support/openapi/document.ts';
import { type Answer, ApiClient } from '#test/support/system/client.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  jobIn,
  outputs,
  pauseConsumer,
  reset,
  sendRaw,
  settled,
  withCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

/** What real answers have shown so far, as `POST /jobs 202` and `POST /jobs 429 queue-full`. */
const shown = new Set<string>();

/** Holds an answer against the document, whole, and hands it on. */
const asSaid = (call: string, answer: Answer): Answer => {
  expect({ call, status: answer.status, differences: differences(call, answer) }).toEqual({
    call,
    status: answer.status,
    differences: [],
  });
  shown.add([call, answer.status, answer.body.code].filter((part) => part !== undefined).join(' '));
  return answer;
};

/** Calls by the name that the document has for it, with its path parameters filled in. */
const call = async (name: string, id = '0'.repeat(32), query = '', body?: unknown, headers = {}): Promise<Answer> => {
  const [method = '', path = ''] = name.split(' ');
  return asSaid(name, await api.call(method, `${path.replace('{id}', id)}${query}`, body, headers));
};

const submit = (key: string, type: string, payload: unknown, options?: unknown): Promise<Answer> =>
  call('POST /jobs', '', '', { type, payload, ...(options !== undefined && { options }) }, { 'idempotency-key': key });

describe('real answers are what openapi.json says', () => {
  test('the life of a job', async ({ own }) => {
    const payload = { account: own.account(), amount: 1 };
    const { id } = (await submit(own.key(), 'ledger.credit', payload, { deadlineSeconds: 600 })).body;
    await call('GET /jobs/{id}', id, '?waitSeconds=10');
    await jobIn(id, 'succeeded');
    await submit(own.key(), 'ledger.credit', payload, { deadlineSeconds: 600 });
    await submit(own.key(), 'ledger.credit', { ...payload, amount: 2 });
    await call('GET /operator/jobs/{id}', id);
    await call('POST /jobs/{id}/cancel', id);
    await call('POST /operator/jobs/{id}/cancel', id);
  });

  test('jobs that retry, die, are listed, redriven and discarded', async ({ own }) => {
    const work = { account: own.account(), amount: 1 };
    const retried = (await submit(own.key('retry'), 'test.scripted', { ...work, failBefore: 1 })).body.id;
    const dead = (await submit(own.key('dead'), 'test.scripted', { ...work, permanent: true })).body.id;
    await sendRaw(`no message of ours ${own.key()}`);
    await jobIn(retried, 'succeeded');
    await jobIn(dead, 'dead');
    for (const id of [retried, dead]) await call('GET /jobs/{id}', id);
    await expect
      .poll(async () => (await call('GET /operator/dead')).body.jobs.some((job: { stray?: true }) => job.stray))
      .toBe(true);
    await call('GET /operator/dead', '', '?limit=1&reason=permanent-error&type=test.scripted');
    await call('POST /operator/dead/redrive', '', '', { all: true, dryRun: true });
    await call('POST /operator/dead/redrive', '', '', { ids: [dead, retried, '0'.repeat(32)] });
    await jobIn(dead, 'dead');
    await call('POST /operator/dead/discard', '', '', { ids: [dead], limit: 1 });
    await call('GET /jobs/{id}', dead);
    await call('GET /jobs', '', '?limit=2');
    await call('GET /jobs', '', '?state=discarded&type=test.scripted');
    await call('GET /operator/jobs', '', '?limit=3');
  });

  test('cancelling what waits and what runs', async ({ own }) => {
    const work = { account: own.account(), amount: 1 };
    const running = (await submit(own.key('running'), 'test.scripted', { ...work, hangSeconds: 1 })).body.id;
    await jobIn(running, 'running');
    await call('POST /jobs/{id}/cancel', running, '', {});
    const hanging = (await submit(own.key('hanging'), 'test.scripted', { ...work, hangSeconds: 1 })).body.id;
    await jobIn(hanging, 'running');
    await call('POST /operator/jobs/{id}/cancel', hanging, '', {});
    await jobIn(running, 'cancelled');
    await jobIn(hanging, 'cancelled');
    await pauseConsumer();
    const ids: string[] = [];
    for (const name of ['a', 'b']) ids.push((await submit(own.key(name), 'ledger.credit', work)).body.id);
    await call('POST /jobs/{id}/cancel', ids[0]);
    await call('POST /operator/jobs/{id}/cancel', ids[1]);
  });

  test('a list of jobs, some of them good', async ({ own }) => {
    const good = { type: 'ledger.credit', payload: { account: own.account(), amount: 1 } };
    const jobs = [
      { key: own.key(), ...good },
      { key: own.key(), ...good },
      { key: own.key(1), ...good, type: 'none' },
      { key: 'a b', ...good },
      7,
    ];
    const { results } = (await call('POST /jobs/batch', '', '', { jobs })).body;
    expect(results.map((result: { status: number }) => result.status)).toEqual([202, 200, 400, 400, 400]);
    await settled();
  });

  test('operating it, and submissions while it is full or closed', async ({ own }) => {
    const payload = { account: own.account(), amount: 1 };
    onTestFinished(async () => {
      await api.call('POST', '/operator/intake', { state: 'open' });
    });
    await call('GET /operator/status');
    await pauseConsumer();
    await withCapacity(1);
    await call('POST /operator/capacity', '', '', { capacity: 1 });
    await call('POST /operator/consumer', '', '', { state: 'paused' });
    await submit(own.key('first'), 'ledger.credit', payload);
    expect((await submit(own.key('second'), 'ledger.credit', payload)).status).toBe(429);
    await call('POST /operator/intake', '', '', { state: 'closed', mode: 'drain' });
    expect((await call('GET /operator/status')).body.drain.waitingFor).toBe('consumer-paused');
    // An instance remembers for up to a second that it was full.
    await expect.poll(async () => (await submit(own.key('third'), 'ledger.credit', payload)).status).toBe(503);
    await call('POST /operator/intake', '', '', { state: 'open' });
    await call('POST /operator/consumer', '', '', { state: 'running' });
    await settled();
  });

  test('submissions that are wrong', async ({ own }) => {
    const body = { type: 'ledger.credit', payload: { account: own.account(), amount: 1 } };
    const key = { 'idempotency-key': own.key() };
    await call('POST /jobs', '', '', body);
    await call('POST /jobs', '', '', body, { 'idempotency-key': 'a b' });
    await call('POST /jobs', '', '', { ...body, type: 'none' }, key);
    await call('POST /jobs', '', '', { ...body, payload: {} }, key);
  });

  test('what any call may meet: no signature, nobody’s, a query or a body that it does not know', async ({ skip }) => {
    needs({ skip }, 'gateway-templates');
    const nobody = new ApiClient(outputs.apiUrl, { accessKeyId: 'AKIANOBODY0000000000', secretAccessKey: 'none' });
    for (const [name, { requestBody, parameters }] of operations) {
      const [method = '', template = ''] = name.split(' ');
      const path = template.replace('{id}', '0'.repeat(32));
      const body = requestBody && {};
      const key = { 'idempotency-key': 'k' };
      asSaid(name, await api.raw(method, path, { signed: false }));
      asSaid(name, await nobody.call(method, path, body, key));
      expect((await call(name, undefined, '?unknown=1', body, key)).status).toBe(400);
      if (template.endsWith('{id}') || template.endsWith('cancel')) expect((await call(name)).status).toBe(404);
      if (parameters?.some((parameter) => parameter.name === 'cursor')) {
        expect((await call(name, undefined, '?cursor=forged')).status).toBe(400);
      }
      if (requestBody === undefined) continue;
      expect((await call(name, undefined, '', { unknown: 1 }, key)).status).toBe(400);
      expect((await call(name, undefined, '', '{}', { ...key, 'content-type': 'text/plain' })).status).toBe(415);
      const large = JSON.stringify({ a: 'x'.repeat(4_300_000) });
      expect((await call(name, undefined, '', large, key)).status).toBe(413);
    }
  });

  test('and all that it says was seen, but for what a healthy system does not answer', ({ skip }) => {
    needs({ skip }, 'gateway-templates');
    const notHere = new Set(['rate-limited', 'internal', 'unavailable', 'tenant-quota']);
    // Where signatures are checked, nobody without an identity gets as far as to us: test/functions/caller.test.ts.
    if (inject('authChecked')) notHere.add('caller-unknown');
    const said = [...operations].flatMap(([name, { responses }]) =>
      Object.entries(responses).flatMap(([status, { content }]) => {
        const codes = Object.keys(content['application/problem+json']?.examples ?? {});
        if (codes.length === 0) return [`${name} ${status}`];
        return codes.filter((code) => !notHere.has(code)).map((code) => `${name} ${status} ${code}`);
      }),
    );
    expect(said.filter((answer) => !shown.has(answer))).toEqual([]);
  });
});
