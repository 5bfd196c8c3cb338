import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ConsoleProblem, send, sendProblem } from './answer.ts';
import { readAssets } from './assets.ts';
import { refuseCaller, refuseHost } from './guard.ts';
import { proxy, type Upstream } from './proxy.ts';

/** What the page says about the API that it operates. */
interface About {
  readonly apiUrl: string;
  readonly source: string;
  readonly region: string;
}

export interface ConsoleConfig {
  readonly upstream: Upstream;
  readonly about: About;
  /** 0: any that is free. */
  readonly port: number;
  /** Told what nobody foresaw, for the terminal. */
  readonly report: (error: unknown) => void;
}

export interface RunningConsole {
  /** Where the page is, with the token of this start in the fragment, which browsers send to nobody. */
  readonly url: string;
  readonly port: number;
  readonly token: string;
  /** Lets what is under way come to its end for a moment, then ends it. */
  readonly stop: () => Promise<void>;
}

/** Never another address: whoever reaches this port acts with the operator's credentials. */
const loopback = '127.0.0.1';
const stopGraceMs = 2_000;

/** Serves the console on loopback. Rejects where the port is taken. */
export const startConsole = async ({ upstream, about, port, report }: ConsoleConfig): Promise<RunningConsole> => {
  const token = randomBytes(32).toString('base64url');
  const assets = readAssets();
  let authority = '';

  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    const [path, search] = splitTarget(url);
    const isApi = path.startsWith('/api/');
    const refused =
      refuseHost(request, authority) ??
      (isApi ? refuseCaller(request, `http://${authority}`, token) : refuseAsset(assets, method, path));
    const asset = assets.get(path);
    if (refused !== undefined) sendProblem(response, refused);
    else if (asset !== undefined) send(response, 200, asset.contentType, asset.body);
    else if (method === 'GET' && path === '/api/about') {
      send(response, 200, 'application/json', JSON.stringify(about));
    } else void proxy(upstream, request, response, path.slice('/api'.length), search, report);
  };

  const server = createServer(
    { headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 5_000, maxHeaderSize: 8_192 },
    answer,
  );
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopback, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  authority = `${loopback}:${bound}`;

  const stop = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // A browser keeps its connections open; each is ended as soon as nothing is under way on it.
    const sweep = setInterval(() => server.closeIdleConnections(), 20);
    const force = setTimeout(() => server.closeAllConnections(), stopGraceMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(force);
  };
  return { url: `http://${authority}/#token=${token}`, port: bound, token, stop };
};

const refuseAsset = (
  assets: ReadonlyMap<string, unknown>,
  method: string,
  path: string,
): ConsoleProblem | undefined => {
  if (!assets.has(path)) return { status: 404, code: 'route-not-found', detail: 'There is nothing here.' };
  if (method === 'GET' || method === 'HEAD') return undefined;
  const headers = { allow: 'GET, HEAD' };
  return { status: 405, code: 'method-not-allowed', detail: 'This path takes GET, HEAD.', headers };
};

/** Path and query of a request's target, byte by byte: nothing is decoded or tidied before it is looked up. */
const splitTarget = (target: string): readonly [string, string] => {
  const at = target.indexOf('?');
  return at === -1 ? [target, ''] : [target.slice(0, at), target.slice(at + 1)];
};
