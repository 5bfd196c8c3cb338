import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Certified } from './certificate.ts';

/** One delivery as it came in. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  readonly origin: string;
  readonly port: number;
  readonly received: readonly Received[];
  /** What a receiver does that knows idempotency keys: one effect a key, however often it is called. */
  readonly effects: ReadonlyMap<string, unknown>;
}

type Reply = (call: Received, response: ServerResponse, n: number) => void;

const textOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** A webhook receiver on 127.0.0.1 until the test has ended. It accepts each delivery unless told to reply otherwise. */
export const startReceiver = async (reply?: Reply, certified?: Certified): Promise<Receiver> => {
  const received: Received[] = [];
  const effects = new Map<string, unknown>();
  const listen = async (request: IncomingMessage, response: ServerResponse) => {
    const call = { path: request.url ?? '', headers: request.headers, body: await textOf(request) };
    received.push(call);
    if (reply) return reply(call, response, received.length);
    const key = String(call.headers['idempotency-key']);
    if (!effects.has(key)) effects.set(key, JSON.parse(call.body));
    response.writeHead(200).end('accepted');
  };
  const server = certified ? createTlsServer(certified, listen) : createServer(listen);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `${certified ? 'https' : 'http'}://127.0.0.1:${port}`, port, received, effects };
};
