import type { LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { connectName } from './addresses.ts';

/** A response may have this much before its connection is closed. Nothing of it is kept. */
export const responseBytesMax = 65_536;
const responseHeaderBytesMax = 16_384;

export interface Post {
  readonly target: URL;
  /** Where to connect; the name in `target` is only spoken, for TLS and the Host header. */
  readonly addresses: readonly LookupAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** All that is taken from a response. */
export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/**
 * Sends one POST over a connection of its own and returns what the status line says. The response's body is read on, so
 * that a receiver which works while it writes is not cut off, but only within `responseBytesMax` and until `signal`; it
 * is thrown away, and how it ends changes nothing, since the receiver has given its answer. Redirects are not followed.
 * Rejects when there is no answer.
 */
export const post = ({ target, addresses, headers, body, signal }: Post): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const request = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = request({
      protocol: target.protocol,
      host: connectName(target),
      port: target.port === '' ? undefined : target.port,
      method: 'POST',
      path: `${target.pathname}${target.search}`,
      headers: { ...headers, host: target.host, 'content-length': Buffer.byteLength(body) },
      // A kept connection would freeze with the worker, and its address would not be the one that was checked now.
      agent: false,
      lookup: pinnedTo(addresses),
      rejectUnauthorized: true,
      maxHeaderSize: responseHeaderBytesMax,
      signal,
    });
    let answer: Answer | undefined;
    const settle = (error: Error): void => (answer === undefined ? reject(error) : resolve(answer));
    call.on('response', (response) => {
      answer = { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
      drain(response);
    });
    call.on('error', settle);
    // Also comes when the other side switches to a protocol that nobody here asked for, without any error.
    call.on('close', () => settle(new ConnectionClosed()));
    call.end(body);
  });

class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
}

const drain = (response: IncomingMessage): void => {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > responseBytesMax) response.destroy();
  });
  response.on('error', () => undefined);
};

/** Answers every question with the addresses that were checked. */
const pinnedTo =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
