import { ResponseType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { bounds } from '../functions/core/limits.ts';

interface GatewayProblem {
  readonly status: number;
  /** With `about:blank` as type, RFC 9457 wants the phrase of the status here. */
  readonly title: string;
  readonly detail: string;
  readonly code: string;
  readonly retryAfterSeconds?: number;
}

const forbidden: GatewayProblem = {
  status: 403,
  title: 'Forbidden',
  detail: 'The request must be signed by a principal that may call this route.',
  code: 'forbidden',
};
const unreadable: GatewayProblem = {
  status: 400,
  title: 'Bad Request',
  detail: 'The request could not be read.',
  code: 'invalid-request',
};
const rateLimited: GatewayProblem = {
  status: 429,
  title: 'Too Many Requests',
  detail: 'The API as a whole is called more often than it accepts. Nothing was changed; repeat the call.',
  code: 'rate-limited',
  retryAfterSeconds: 1,
};
/** The function gave no answer, so the outcome is unknown: exactly what repeating with the same key is for. */
const unavailable: GatewayProblem = {
  status: 503,
  title: 'Service Unavailable',
  detail: 'No answer came in time, so the outcome is unknown. Repeat the call with the same Idempotency-Key.',
  code: 'unavailable',
  retryAfterSeconds: bounds.retryAfterUnavailableSeconds,
};

/**
 * The answers that API Gateway gives by itself, by its name for the case. A status given to one of the two defaults
 * becomes the status of every type not named here, so status and body always agree.
 */
const problems: readonly (readonly [ResponseType, GatewayProblem])[] = [
  [ResponseType.ACCESS_DENIED, forbidden],
  [ResponseType.UNAUTHORIZED, forbidden],
  [ResponseType.MISSING_AUTHENTICATION_TOKEN, forbidden],
  [ResponseType.INVALID_SIGNATURE, forbidden],
  [ResponseType.EXPIRED_TOKEN, forbidden],
  [ResponseType.WAF_FILTERED, forbidden],
  [
    ResponseType.REQUEST_TOO_LARGE,
    {
      status: 413,
      title: 'Content Too Large',
      detail: `A request body may not exceed ${bounds.requestBodyBytes} bytes, its payload ${bounds.payloadBytes}.`,
      code: 'payload-too-large',
    },
  ],
  [ResponseType.THROTTLED, rateLimited],
  [ResponseType.QUOTA_EXCEEDED, rateLimited],
  [ResponseType.INTEGRATION_TIMEOUT, unavailable],
  [ResponseType.INTEGRATION_FAILURE, unavailable],
  [ResponseType.BAD_REQUEST_BODY, unreadable],
  [ResponseType.BAD_REQUEST_PARAMETERS, unreadable],
  // What is left of the 4xx in an API without validators and authorizers: a key that nobody has, a signature in pieces.
  [ResponseType.DEFAULT_4XX, forbidden],
  [
    ResponseType.DEFAULT_5XX,
    { status: 500, title: 'Internal Server Error', detail: 'Something failed on our side.', code: 'internal' },
  ],
];

/** Static values of gateway response headers stand in single quotes. */
const literal = (value: string | number): string => `'${value}'`;

/**
 * Gives every error that the gateway itself makes the same shape as our own problem details.
 * API Gateway chooses the template by `application/json` whatever the caller accepts; the header then names the type.
 */
export const addGatewayProblems = (api: RestApi): void => {
  for (const [type, { status, title, detail, code, retryAfterSeconds }] of problems) {
    const retryable = retryAfterSeconds !== undefined;
    api.addGatewayResponse(type.responseType, {
      type,
      statusCode: String(status),
      responseHeaders: {
        'Content-Type': literal('application/problem+json'),
        ...(retryable && { 'Retry-After': literal(retryAfterSeconds) }),
      },
      templates: {
        'application/json': JSON.stringify({
          type: 'about:blank',
          title,
          status,
          detail,
          code,
          retryable,
          requestId: '$context.requestId',
        }),
      },
    });
  }
};
