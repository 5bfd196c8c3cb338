import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** One call as it reached the API. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at bodies whose shape is what they test.
  readonly body: any;
}

/** What is answered: a body as JSON, or as the text that it is. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An API that answers as it is told, and remembers what it was asked. Undefined: it never answers. */
export const fakeApi = async (
  answer: (call: Call, calls: readonly Call[]) => Reply | undefined,
): Promise<{ readonly url: string; readonly calls: readonly Call[] }> => {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const call = await readCall(request);
    calls.push(call);
    const reply = answer(call, calls);
    if (reply === undefined) return;
    const { status = 200, headers = {}, body } = reply;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, calls };
};

const readCall = async (request: IncomingMessage): Promise<Call> => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fake.invalid');
  const body = await text(request);
  return {
    method: request.method ?? '',
    path: pathname.replace(/^\/v1/, ''),
    query: searchParams,
    headers: request.headers,
    body: body === '' ? undefined : JSON.parse(body),
  };
};

/** A refusal as the API words it. */
export const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...headers },
  body: {
    type: 'about:blank',
    title: 'Refused',
    status,
    detail: `told to answer ${code}`,
    code,
    retryable: status === 429 || status === 503,
    requestId: 'request-1',
  },
});
