import type { ServerResponse } from 'node:http';

/** A refusal by the console itself, in the shape of the API's own (RFC 9457). */
export interface ConsoleProblem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** What may help. */
  readonly fix?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Every script and style is a file of ours; nothing inline, nothing from elsewhere, no frame, no form that leaves. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // Text can then not become markup by any of the DOM's injection sinks.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const always = {
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
};

export const send = (
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void => {
  response.writeHead(status, {
    ...always,
    ...headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
};

export const sendProblem = (response: ServerResponse, problem: ConsoleProblem): void => {
  const { status, code, detail, fix, headers } = problem;
  const body = { type: 'about:blank', title: 'The console refused', status, detail, code, retryable: false, fix };
  send(response, status, 'application/problem+json', JSON.stringify(body), headers);
};
