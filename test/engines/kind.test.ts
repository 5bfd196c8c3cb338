import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { kindOf } from '../../localstack/engines/kind.ts';
import { peekQueue } from '../../localstack/peek.ts';
import { reachableApiUrl } from '../../localstack/workarounds.ts';

/** An emulator as far as these look at one: it answers these paths with these bodies, and everything else with 404. */
const serve = async (bodies: Readonly<Record<string, unknown>>): Promise<{ url: string; asked: string[] }> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-amz-target'] ?? ''}`);
    const body = bodies[new URL(request.url ?? '', 'http://x').pathname];
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
};

it.for<[string, Record<string, unknown>]>([
  ['ministack', { '/_ministack/health': {}, '/_localstack/health': {} }],
  ['localstack', { '/_localstack/health': {} }],
  ['other', {}],
])('an emulator is known by the path that it answers: %s', async ([kind, bodies]) => {
  expect(await kindOf((await serve(bodies)).url)).toBe(kind);
});

it('where nothing answers it is some other one', async () => {
  expect(await kindOf('http://127.0.0.1:9')).toBe('other');
});

it('a REST API is reached under a path of its kind', () => {
  const endpoint = 'http://127.0.0.1:4566';
  const aws = 'https://abc123.execute-api.us-east-1.amazonaws.com/v1/';
  expect(reachableApiUrl(endpoint, aws)).toBe(`${endpoint}/restapis/abc123/v1/_user_request_`);
  expect(reachableApiUrl(endpoint, aws, 'other')).toBe(`${endpoint}/restapis/abc123/v1/_user_request_`);
  expect(reachableApiUrl(endpoint, 'https://abc123.execute-api.127.0.0.1:4566/v1/', 'localstack')).toBe(
    `${endpoint}/_aws/execute-api/abc123/v1`,
  );
  expect(() => reachableApiUrl(endpoint, 'https://example.com/v1/')).toThrow('not that of a REST API');
});

it('a queue is looked into under a path of its kind, hidden messages included', async () => {
  const queueUrl = 'http://127.0.0.1:4566/000000000000/jobs';
  const seen = { messageId: 'm-1', body: 'b', receiveCount: 2, attributes: { A: 'x' } };
  const raw = { MessageId: 'm-1', Body: 'b', MessageAttributes: { A: { StringValue: 'x' } } };
  const ministack = await serve({
    '/_ministack/sqs/messages': {
      messages: { '000000000000': { 'us-east-1': { jobs: [{ ...raw, ReceiveCount: 2 }] } } },
    },
  });
  expect(await peekQueue({ endpointUrl: ministack.url, emulator: 'ministack' }, queueUrl)).toEqual([seen]);
  const localstack = await serve({
    '/_aws/sqs/messages': { Messages: [{ ...raw, Attributes: { ApproximateReceiveCount: '2' } }] },
  });
  expect(await peekQueue({ endpointUrl: localstack.url, emulator: 'localstack' }, queueUrl)).toEqual([seen]);
  const asked = 'POST /_aws/sqs/messages?ShowInvisible=true&ShowDelayed=true AmazonSQS.ReceiveMessage';
  expect(localstack.asked).toEqual([asked]);
  const empty = await serve({ '/_aws/sqs/messages': {} });
  expect(await peekQueue({ endpointUrl: empty.url, emulator: 'localstack' }, queueUrl)).toEqual([]);
  await expect(peekQueue({ endpointUrl: empty.url, emulator: 'other' }, queueUrl)).rejects.toThrow('is not known');
});
