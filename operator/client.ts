import { AwsClient } from 'aws4fetch';

/** One answer of the API: status, headers (any case), and the body as JSON, or undefined where there is none. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

export interface ClientConfig {
  /** Without a slash at its end; `${apiUrl}/jobs` takes jobs in. */
  readonly apiUrl: string;
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** Milliseconds until a call is given up. */
  readonly timeoutMs?: number;
}

/** Speaks to the API as any client does: HTTP signed with AWS Signature Version 4, never the tables or the queues. */
export class ApiClient {
  readonly #config: ClientConfig;
  readonly #aws: AwsClient;

  constructor(config: ClientConfig) {
    this.#config = config;
    this.#aws = new AwsClient({ ...config.credentials, service: 'execute-api', region: config.region, retries: 0 });
  }

  /** Sends one call; a body is sent as JSON. Throws only when no answer came. */
  async call<Body = unknown>(
    method: 'GET' | 'POST',
    path: `/${string}`,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const request = await this.#aws.sign(`${this.#config.apiUrl}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(this.#config.timeoutMs ?? 30_000),
    });
    const response = await fetch(request);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? undefined : JSON.parse(text)) as Body,
    };
  }

  /** Submits a job under its idempotency key. */
  submit<Body = unknown>(key: string, type: string, payload: unknown): Promise<Answer<Body>> {
    return this.call<Body>('POST', '/jobs', { type, payload }, { 'idempotency-key': key });
  }
}
