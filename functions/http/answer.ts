import type { APIGatewayProxyResult } from 'aws-lambda';
import { isRetryable, type Problem, problemStatus } from '#core/problem.ts';

export type Headers = Readonly<Record<string, string>>;

const always = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

export const json = (statusCode: number, body: unknown, headers: Headers = {}): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': 'application/json', ...always, ...headers },
  body: JSON.stringify(body),
});

/** Status phrases of RFC 9110: what RFC 9457 wants for a title where the type is about:blank. */
const phrases: Readonly<Record<(typeof problemStatus)[keyof typeof problemStatus], string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** A refusal as RFC 9457 problem details; `code` tells what `type`, which is about:blank, leaves open. */
export const problemBody = (p: Problem, requestId: string) => ({
  type: 'about:blank',
  title: phrases[problemStatus[p.code]],
  status: problemStatus[p.code],
  detail: p.detail,
  code: p.code,
  retryable: isRetryable(p.code),
  requestId,
  ...(p.errors && { errors: p.errors }),
});

export const problem = (p: Problem, requestId: string, headers: Headers = {}): APIGatewayProxyResult => ({
  statusCode: problemStatus[p.code],
  headers: {
    'content-type': 'application/problem+json',
    ...always,
    ...(p.retryAfterSeconds !== undefined && { 'retry-after': String(p.retryAfterSeconds) }),
    ...headers,
  },
  body: JSON.stringify(problemBody(p, requestId)),
});

/** Carries a problem out of a route; the router's error handler answers with it. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly problem: Problem;
  constructor(p: Problem) {
    super(p.code);
    this.problem = p;
  }
}
