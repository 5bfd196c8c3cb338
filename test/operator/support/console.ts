import { request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { Upstream } from '../../../operator/console/proxy.ts';
import { startConsole } from '../../../operator/console/server.ts';

/** What the console answered, byte by byte as it came. */
export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at bodies whose shape is what they test.
  readonly json: () => any;
}

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

/** An answer of the API, as the client reads it. */
export const answered = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  headers: new Headers(headers),
  body,
  text: JSON.stringify(body),
});

/** A console whose API is this function, and the calls that reached it. Ends with the test. */
export const consoleOf = async (upstream: Upstream = async () => answered(200, { fine: true })) => {
  const calls: { method: string; path: string; body: unknown }[] = [];
  const reported: unknown[] = [];
  const running = await startConsole({
    upstream: (method, path, body) => {
      calls.push({ method, path, body });
      return upstream(method, path, body);
    },
    about: { apiUrl: 'https://api.invalid/v1', source: 'a test', region: 'us-east-1' },
    port: 0,
    report: (error) => reported.push(error),
  });
  onTestFinished(running.stop);
  const origin = `http://127.0.0.1:${running.port}`;

  /** A request with exactly these headers and this target, which fetch would tidy up. Undefined leaves one out. */
  const send = (target: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Received> =>
    new Promise((resolve, reject) => {
      const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
      const call = request(
        { host: '127.0.0.1', port: running.port, method, path: target, headers: Object.fromEntries(given) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text,
              json: () => JSON.parse(text),
            });
          });
        },
      );
      call.on('error', reject);
      call.end(body);
    });

  /** The headers that the page's own calls have. */
  const own = {
    'x-sluice-token': running.token,
    'sec-fetch-site': 'same-origin',
  };
  const ownPost = { ...own, origin, 'content-type': 'application/json' };
  return { ...running, origin, calls, reported, send, own, ownPost };
};
