import { AwsClient } from 'aws4fetch';

/** One answer of the API: status, headers (any case), and the body as JSON, or undefined where there is none. */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
  /** The body as it came. */
  readonly text: string;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials; goes out signed as `x-amz-security-token`. */
  readonly sessionToken?: string;
}

export interface ClientConfig {
  /** Without a slash at its end; `${apiUrl}/jobs` takes jobs in. */
  readonly apiUrl: string;
  readonly region: string;
  /** A function is asked before each call, so that what runs for hours may be given fresh ones. */
  readonly credentials: Credentials | (() => Promise<Credentials>);
  /** Milliseconds until a call is given up. */
  readonly timeoutMs?: number;
}

/** No answer came, or one that no API of this kind gives. What the call did is unknown. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Above the 29 s after which the gateway answers by itself. */
const timeoutDefaultMs = 30_000;

/** Speaks to the API as any client does: HTTP signed with AWS Signature Version 4, never the tables or the queues. */
export class ApiClient {
  readonly #config: ClientConfig;
  /** Signing keys by day, region and secret: shared, since a call may come with other credentials than the last one. */
  readonly #signingKeys = new Map<string, ArrayBuffer>();

  constructor(config: ClientConfig) {
    this.#config = config;
  }

  /** Sends one call; a body is sent as JSON. Throws `NoAnswerError` when no answer came, or none in JSON. */
  async call<Body = unknown>(
    method: 'GET' | 'POST',
    path: `/${string}`,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Body>> {
    const { apiUrl, timeoutMs = timeoutDefaultMs } = this.#config;
    const aws = await this.#signer();
    const request = await aws.sign(`${apiUrl}${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      // A redirect would carry the signature to another host.
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    try {
      const response = await fetch(request);
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: parse(text, response) as Body, text };
    } catch (error) {
      if (error instanceof NoAnswerError) throw error;
      throw new NoAnswerError(whyNoAnswer(error, new URL(apiUrl).origin, timeoutMs), { cause: error });
    }
  }

  /** Submits a job under its idempotency key. */
  submit<Body = unknown>(key: string, type: string, payload: unknown): Promise<Answer<Body>> {
    return this.call<Body>('POST', '/jobs', { type, payload }, { 'idempotency-key': key });
  }

  async #signer(): Promise<AwsClient> {
    const { credentials, region } = this.#config;
    const { accessKeyId, secretAccessKey, sessionToken } =
      typeof credentials === 'function' ? await credentials() : credentials;
    return new AwsClient({
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 'execute-api',
      region,
      retries: 0,
      cache: this.#signingKeys,
    });
  }
}

const parse = (text: string, response: Response): unknown => {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    const kind = response.headers.get('content-type') ?? 'no content type';
    throw new NoAnswerError(
      `${new URL(response.url).origin} answered ${response.status} with ${kind} instead of JSON. Is this the API's URL?`,
    );
  }
};

/** In words what Node hides in the causes of "fetch failed". */
const whyNoAnswer = (error: unknown, origin: string, timeoutMs: number): string => {
  if (error instanceof Error && error.name === 'TimeoutError')
    return `${origin} did not answer in ${timeoutMs / 1000} s.`;
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : undefined;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${origin}: the connection was refused.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `The name in ${origin} is not known (${code}).`;
  return `No answer from ${origin}: ${cause instanceof Error ? cause.message : String(cause)}`;
};
