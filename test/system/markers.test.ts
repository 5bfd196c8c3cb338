import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { beforeAll, describe, expect } from 'vitest';
import type { Answer } from '#test/support/system/client.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  jobIn,
  lambda,
  outputs,
  peek,
  reconcile,
  reset,
  root,
  sendRaw,
  settled,
} from '#test/support/system/stack.ts';
import { startReceiver } from '#test/support/webhook/receiver.ts';
import { connectionTo } from '#test/support/workers/place.ts';

beforeAll(reset, 90_000);

const logs = new CloudWatchLogsClient(connectionTo(outputs));
const functions = ['apiFunctionName', 'consumerFunctionName', 'operatorFunctionName', 'reconcileFunctionName'] as const;

/** Everything that the four functions wrote since then: log lines, and metrics, which are log lines as well. */
const linesSince = async (startTime: number): Promise<readonly string[]> => {
  const lines: string[] = [];
  for (const name of functions) {
    const FunctionName = outputs[name];
    const { LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
    let nextToken: string | undefined;
    do {
      const page = await logs.send(new FilterLogEventsCommand({ logGroupName, startTime, nextToken }));
      lines.push(...(page.events ?? []).map(({ message = '' }) => message));
      nextToken = page.nextToken;
    } while (nextToken !== undefined);
  }
  return lines;
};

/** A line of the platform's own, as `START RequestId: …`. */
const isPlatforms = (line: string): boolean => /^(START|END|REPORT|INIT_START) /.test(line);

/** Sends what `work` sends, and returns what came out of the functions once all of these jobs show in their logs. */
const written = async (work: () => Promise<readonly string[]>): Promise<readonly string[]> => {
  const since = Date.now() - 1_000;
  const ids = await work();
  await settled();
  await reconcile();
  return eventually(async () => {
    const lines = await linesSince(since);
    expect(ids.filter((id) => !lines.some((line) => line.includes(id)))).toEqual([]);
    return lines;
  });
};

const accepted = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer;
  expect(status, JSON.stringify(body)).toBe(202);
  return body.id;
};

describe('G10: no payload, no raw key and no answer of a receiver comes out anywhere', () => {
  test('jobs that succeed, retry and die', async ({ own }) => {
    const marker = own.account('planted');
    const receiver = await startReceiver((_request, response, n) => {
      response.writeHead(n === 1 ? 503 : 400, { 'x-answer': marker }).end(`${marker} in the answer`);
    });
    const lines = await written(async () => {
      const secret = { account: marker, amount: 1 };
      const hook = { body: { secret: marker }, headers: { 'x-request-id': marker } };
      const key = (n: number) => `${marker}.${n}`;
      const done = await accepted(api.submit(key(1), 'ledger.credit', secret));
      const dead = await accepted(api.submit(key(2), 'test.scripted', { ...secret, permanent: true }));
      const retried = await accepted(api.submit(key(3), 'test.scripted', { ...secret, failBefore: 1, loseAck: 1 }));
      const sent = await accepted(
        api.submit(key(4), 'webhook.deliver', { url: `${receiver.origin}/${marker}`, ...hook }),
      );
      const nowhere = `https://user:${marker}@${marker}.invalid/?token=${marker}`;
      const refused = await api.submit(key(5), 'webhook.deliver', { url: nowhere, ...hook });
      const large = { url: receiver.origin, body: marker.repeat(200) };
      const apart = await accepted(api.submit(key(6), 'webhook.deliver', large));
      await jobIn(done, 'succeeded');
      await jobIn(retried, 'succeeded');
      for (const id of [dead, sent, apart]) await jobIn(id, 'dead');
      await api.redrive({ ids: [dead] });
      await jobIn(dead, 'dead');
      await api.submit(key(1), 'ledger.credit', secret);
      await api.submit(key(1), 'ledger.credit', { ...secret, amount: 2 });
      const ids = refused.status === 202 ? [refused.body.id] : [];
      for (const id of ids) await jobIn(id, 'dead');
      return [done, dead, retried, sent, apart, ...ids];
    });
    expect(lines.filter((line) => line.includes(marker))).toEqual([]);
    // Messages say which job they are for, and in the dead-letter queue why; the payload is in none of them.
    for (const queue of [outputs.queueUrl, outputs.deadLetterQueueUrl]) {
      expect((await peek(queue)).filter((message) => JSON.stringify(message).includes(marker))).toEqual([]);
    }
  });

  test('refusals do not quote what was sent', async ({ own }) => {
    const marker = own.account('quoted');
    const answers: Answer[] = [];
    const lines = await written(async () => {
      const body = (payload: unknown) => ({ type: 'ledger.credit', payload });
      const key = { 'idempotency-key': own.key() };
      const wrong = [marker, { account: `${marker} `, amount: 1 }, { account: marker, amount: marker }, [marker], null];
      for (const payload of wrong) answers.push(await api.call('POST', '/jobs', body(payload), key));
      answers.push(await api.call('POST', '/jobs', { type: marker, payload: marker }, key));
      answers.push(await api.call('POST', '/jobs', body({ account: marker }), { 'idempotency-key': `${marker} !` }));
      answers.push(await api.call('POST', '/jobs', `{"${marker}`, key));
      answers.push(await api.call('POST', '/jobs/batch', { jobs: [{ key: `${marker} !`, ...body(marker) }, marker] }));
      for (const path of [`/jobs/${marker}`, `/jobs?cursor=${marker}`, `/operator/dead?reason=${marker}`]) {
        answers.push(await api.call('GET', path));
      }
      // No role may call this; who may call all gets to hear our own words.
      answers.push(await root.call('GET', `/${marker}`));
      answers.push(await api.call('POST', '/operator/capacity', { capacity: marker }));
      answers.push(await api.call('POST', '/operator/dead/redrive', { all: true, cursor: marker }));
      return [];
    });
    expect(answers.filter(({ body }) => JSON.stringify(body).includes(marker))).toEqual([]);
    expect(lines.filter((line) => line.includes(marker))).toEqual([]);
  });

  test('a stray’s body is kept as it came and told to nobody', async ({ own }) => {
    const marker = own.account('stray');
    const lines = await written(async () => {
      await sendRaw(`{"secret":"${marker}"}`);
      await eventually(async () => {
        const found = (await peek(outputs.deadLetterQueueUrl)).filter(({ body }) => body.includes(marker));
        expect(found).toHaveLength(1);
        expect(JSON.stringify(found[0]?.attributes)).not.toContain(marker);
        expect(found[0]?.attributes['sluiceReason']).toBe('unreadable');
      });
      return [];
    });
    expect(lines.filter((line) => line.includes(marker))).toEqual([]);
    expect(JSON.stringify((await api.dead({ limit: '100' })).body)).not.toContain(marker);
  });
});

test('log injection: line breaks and escape codes of callers make no line and no colour', async ({ own }) => {
  const forged = `\n{"level":"ERROR","message":"${own.key('forged')}"}\r\u001b[31m\u2028`;
  const lines = await written(async () => {
    const key = { 'idempotency-key': own.key() };
    const url = 'https://nowhere.invalid/';
    const id = await accepted(api.submit(own.key('body'), 'webhook.deliver', { url, body: forged }));
    await api.call('POST', '/jobs', { type: forged, payload: { [forged]: forged } }, key);
    for (const path of ['/jobs', '/operator/jobs', '/operator/dead']) {
      await api.call('GET', `${path}?type=${encodeURIComponent(forged)}`);
    }
    await api.call('GET', `/jobs/${encodeURIComponent(forged)}`);
    await api.call('POST', '/operator/dead/discard', { ids: [forged], filter: { tenant: forged } });
    await api.call('POST', '/operator/dead/discard', { ids: [forged] });
    // SQS itself takes no escape codes.
    await sendRaw(forged.replaceAll('\u001b', ''));
    await jobIn(id, 'dead');
    return [id];
  });
  const ours = lines.filter((line) => !isPlatforms(line));
  expect(ours.length).toBeGreaterThan(5);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be there.
  expect(ours.filter((line) => /[\u0000-\u001f\u2028]/.test(line.trimEnd()))).toEqual([]);
  for (const line of ours) expect(() => JSON.parse(line), line).not.toThrow();
  expect(lines.filter((line) => line.includes(own.key('forged')))).toEqual([]);
});
