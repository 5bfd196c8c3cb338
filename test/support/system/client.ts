import { request } from 'node:http';
import { AwsClient } from 'aws4fetch';

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

const answerMaxMs = 30_000;

/** A body that is not JSON is kept as its text, so that a test shows what came instead of a parser's complaint. */
const readAnswer = (status: number, headers: Headers, text: string): Answer => {
  try {
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  } catch {
    return { status, headers, body: text };
  }
};

/** A submitter or operator as any client would be: signed HTTP, nothing else. */
export class ApiClient {
  readonly #apiUrl: string;
  readonly #aws: AwsClient;

  constructor(apiUrl: string, credentials: Credentials = { accessKeyId: 'test', secretAccessKey: 'test' }) {
    this.#apiUrl = apiUrl;
    this.#aws = new AwsClient({ ...credentials, service: 'execute-api', region: 'us-east-1', retries: 0 });
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const init = {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(answerMaxMs),
    };
    const response = await fetch(await this.#aws.sign(`${this.#apiUrl}${path}`, init));
    return readAnswer(response.status, response.headers, await response.text());
  }

  /**
   * The same, but path, header names and body go out byte by byte as they are given, which fetch would tidy up or
   * refuse. Unsigned if told so; signed for its own path only if told so, as nothing reads the signature otherwise.
   */
  async raw(
    method: string,
    path: string,
    {
      headers = {},
      body,
      signed = true,
      signPath = false,
    }: { headers?: HeaderInput; body?: string | Buffer; signed?: boolean; signPath?: boolean } = {},
  ): Promise<Answer> {
    const { hostname, port, pathname } = new URL(this.#apiUrl);
    const signedUrl = signPath ? `${this.#apiUrl}${path}` : this.#apiUrl;
    const signature = signed
      ? [...(await this.#aws.sign(signedUrl, { method: signPath ? method : 'GET' })).headers]
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
