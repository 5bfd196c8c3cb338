import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { AwsV4Signer } from 'aws4fetch';
import { emulatorCredentials } from '../../../localstack/places.ts';

/** What the API answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers whose shape is what they test.
  readonly body: any;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a role's session. */
  readonly sessionToken?: string;
}

/** Headers with their names as they shall be written on the wire, or none at all for a name that is undefined. */
type HeaderInput = Readonly<Record<string, string | undefined>>;

/** What a call made byte by byte consists of. */
interface RawInput {
  readonly headers?: HeaderInput;
  readonly body?: string | Buffer;
  /** False: no signature at all. A path: a signature that is true for a GET of that path. */
  readonly signed?: boolean | string;
}

const answerMaxMs = 30_000;

/** The path as the receiver makes it again from what it got; a URL object would resolve more of it than that. */
const canonicalPath = (path: string): string => {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const whole = `/${segments.join('/')}${path.endsWith('/') && segments.length > 0 ? '/' : ''}`;
  return encodeURIComponent(whole)
    .replaceAll('%2F', '/')
    .replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
};

/** A body that is not JSON is kept as its text, so that a test shows what came instead of a parser's complaint. */
const readAnswer = (status: number, headers: Headers, text: string): Answer => {
  try {
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    return { status, headers, body: text };
  }
};

/** A submitter or operator as any client would be: signed HTTP, nothing else. Who signs may depend on the path. */
export class ApiClient {
  readonly #apiUrl: string;
  readonly #credentialsFor: (path: string) => Credentials;

  constructor(apiUrl: string, credentials: Credentials | ((path: string) => Credentials) = emulatorCredentials) {
    this.#apiUrl = apiUrl;
    this.#credentialsFor = typeof credentials === 'function' ? credentials : () => credentials;
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const init = {
      method,
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(text !== undefined && { body: text }),
    };
    const { headers: signed } = await this.#signer(path, init).sign();
    const signal = AbortSignal.timeout(answerMaxMs);
    const response = await fetch(`${this.#apiUrl}${path}`, { ...init, headers: signed, signal });
    return readAnswer(response.status, response.headers, await response.text());
  }

  /** The same, but path, header names and body go out byte by byte as they are given, which fetch would tidy up or refuse. */
  async raw(method: string, path: string, { headers = {}, body, signed = true }: RawInput = {}): Promise<Answer> {
    const { hostname, port, pathname } = new URL(this.#apiUrl);
    const signature =
      typeof signed === 'string'
        ? await this.#rawSignature('GET', signed)
        : signed
          ? await this.#rawSignature(method, path, body)
          : [];
    const given = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined);
    return new Promise((resolve, reject) => {
      const call = request(
        {
          ...{ hostname, port, method, path: `${pathname}${path}`, signal: AbortSignal.timeout(answerMaxMs) },
          headers: {
            ...Object.fromEntries([...signature, ...given]),
            ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const received = Object.entries(response.headers).map(([name, value]): [string, string] => [
              name,
              String(value),
            ]);
            resolve(
              readAnswer(response.statusCode ?? 0, new Headers(received), Buffer.concat(chunks).toString('utf8')),
            );
          });
        },
      );
      call.on('error', reject);
      call.end(body);
    });
  }

  #signer(path: string, init: { method: string; headers?: Record<string, string>; body?: string }): AwsV4Signer {
    const credentials = this.#credentialsFor(path);
    return new AwsV4Signer({
      ...{ ...init, ...credentials, url: `${this.#apiUrl}${path}`, service: 'execute-api', region: 'us-east-1' },
    });
  }

  async #rawSignature(method: string, path: string, body: string | Buffer = ''): Promise<[string, string][]> {
    const hash = createHash('sha256').update(body).digest('hex');
    const signer = this.#signer(path, { method, headers: { 'x-amz-content-sha256': hash } });
    signer.encodedPath = canonicalPath(`${new URL(this.#apiUrl).pathname}${path.replace(/\?.*/s, '')}`);
    return [...(await signer.sign()).headers];
  }

  submit(key: string, type: string, payload: unknown, options?: unknown): Promise<Answer> {
    return this.call(
      'POST',
      '/jobs',
      { type, payload, ...(options !== undefined && { options }) },
      { 'idempotency-key': key },
    );
  }

  job(id: string): Promise<Answer> {
    return this.call('GET', `/jobs/${id}`);
  }

  status(): Promise<Answer> {
    return this.call('GET', '/operator/status');
  }

  setCapacity(capacity: unknown): Promise<Answer> {
    return this.call('POST', '/operator/capacity', { capacity });
  }

  setConsumer(state: unknown): Promise<Answer> {
    return this.call('POST', '/operator/consumer', { state });
  }

  dead(query: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.call('GET', `/operator/dead?${new URLSearchParams(query)}`);
  }

  operatorJob(id: string): Promise<Answer> {
    return this.call('GET', `/operator/jobs/${id}`);
  }

  redrive(body: unknown): Promise<Answer> {
    return this.call('POST', '/operator/dead/redrive', body);
  }
}
