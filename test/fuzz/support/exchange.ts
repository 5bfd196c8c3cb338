import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import type { Answer, Credentials } from '#test/support/system/client.ts';

/** A request as it goes over the wire: headers in order and possibly twice, the path as it stands, bytes as they are. */
export interface WireRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Buffer | undefined;
  /** The operation of openapi.json that it was made from, as `POST /jobs`; its answer must be as said there. */
  readonly call?: string | undefined;
}

export interface Exchange {
  readonly answer: Answer | undefined;
  readonly milliseconds: number;
  /** Why there is no answer. */
  readonly failure?: string;
}

/** Whatever takes longer counts as a hang. The longest wait that a generated request asks for is far below. */
export const hangMs = 10_000;

const sendOnce = async (apiUrl: string, credentials: Credentials, wire: WireRequest): Promise<Answer> => {
  const { hostname, port, pathname } = new URL(apiUrl);
  const aws = new AwsClient({ ...credentials, service: 'execute-api', region: 'us-east-1' });
  const signature = [...(await aws.sign(apiUrl, { method: 'GET' })).headers];
  const length = wire.body === undefined ? [] : [['content-length', String(Buffer.byteLength(wire.body))]];
  const host = wire.headers.some(([name]) => name.toLowerCase() === 'host') ? [] : [['host', `${hostname}:${port}`]];
  return new Promise((resolve, reject) => {
    const call = request({
      ...{ hostname, port, method: wire.method, path: `${pathname}${wire.path}` },
      headers: [...host, ...signature, ...wire.headers, ...length].flat(),
      signal: AbortSignal.timeout(2 * hangMs),
    });
    call.on('error', reject);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('error', reject);
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString('utf8');
        const headers = new Headers(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, headers, body: parsed(text) });
      });
    });
    call.end(wire.body);
  });
};

const parsed = (text: string): unknown => {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Sends it and measures. A connection that the server closed while we wrote to it says nothing about the API, so such a
 * request is sent once more.
 */
export const exchange = async (apiUrl: string, credentials: Credentials, wire: WireRequest): Promise<Exchange> => {
  for (let tries = 1; ; tries += 1) {
    const began = performance.now();
    try {
      const answer = await sendOnce(apiUrl, credentials, wire);
      return { answer, milliseconds: performance.now() - began };
    } catch (error) {
      const { code = '', message } = error as { code?: string; message: string };
      const closed = code === 'ECONNRESET' || code === 'EPIPE';
      if (!closed || tries === 3) {
        return { answer: undefined, milliseconds: performance.now() - began, failure: `${code} ${message}`.trim() };
      }
      await sleep(50 * tries);
    }
  }
};

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const shownBytesMax = 4_000;

/** The request as a line for a shell. The body travels as base64, so that no byte of it is lost in a terminal. */
export const asCurl = (apiUrl: string, wire: WireRequest): string => {
  const { body } = wire;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const line = [
    'curl -i --path-as-is --user test:test --aws-sigv4 aws:amz:us-east-1:execute-api',
    `-X ${quoted(wire.method)}`,
    ...wire.headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(bytes ? ['--data-binary @-'] : []),
    quoted(`${apiUrl}${wire.path}`),
  ].join(' ');
  if (bytes === undefined) return line;
  const shown = bytes.subarray(0, shownBytesMax).toString('base64');
  const cut = bytes.length > shownBytesMax ? `   # the first ${shownBytesMax} of ${bytes.length} bytes` : '';
  return `echo ${shown} | base64 -d | ${line}${cut}`;
};
