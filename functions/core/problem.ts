import { bounds } from './limits.ts';

/** One wrong field: an RFC 6901 JSON pointer into the body, or `header/…`, `query/…`. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** A refusal as a value; `http/answer.ts` makes an RFC 9457 answer of it. */
export interface Problem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors?: readonly FieldError[];
  readonly retryAfterSeconds?: number;
}

/** Every error code of the HTTP contract with its status. */
export const problemStatus = {
  'invalid-request': 400,
  'missing-idempotency-key': 400,
  'invalid-idempotency-key': 400,
  'unknown-job-type': 400,
  forbidden: 403,
  'caller-unknown': 403,
  'job-not-found': 404,
  'route-not-found': 404,
  'method-not-allowed': 405,
  'not-in-flight': 409,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'idempotency-conflict': 422,
  'queue-full': 429,
  'tenant-quota': 429,
  'rate-limited': 429,
  'intake-closed': 503,
  unavailable: 503,
  internal: 500,
} as const satisfies Record<string, number>;

export type ProblemCode = keyof typeof problemStatus;

/** True for the answers that the same request may follow after a while: 429 and 503. */
export const isRetryable = (code: ProblemCode): boolean => {
  const status = problemStatus[code];
  return status === 429 || status === 503;
};

/** `random` in [0, 1) spreads the returning callers over 1 to 5 seconds. */
export const queueFull = (random: number): Problem => ({
  code: 'queue-full',
  detail:
    'The jobs in flight or the messages in the queue have reached the capacity. Nothing was accepted; send the same request with the same key again later.',
  retryAfterSeconds: 1 + Math.floor(random * bounds.retryAfterFullMaxSeconds),
});

export const tenantQuota = (random: number): Problem => ({
  code: 'tenant-quota',
  detail:
    'Your jobs in flight have reached your share of the capacity. Nothing was accepted; send the same request with the same key again later.',
  retryAfterSeconds: 1 + Math.floor(random * bounds.retryAfterFullMaxSeconds),
});

export const intakeClosed: Problem = {
  code: 'intake-closed',
  detail:
    'An operator has closed the intake. Nothing was accepted; send the same request with the same key again later.',
  retryAfterSeconds: bounds.retryAfterClosedSeconds,
};

export const unavailable: Problem = {
  code: 'unavailable',
  detail:
    'The request was not completed for certain. Send it again with the same key: it can only lead to the one job.',
  retryAfterSeconds: bounds.retryAfterUnavailableSeconds,
};

/** To an operator, who sees the jobs of all. */
export const noSuchJob: Problem = { code: 'job-not-found', detail: 'No job has this id, or its record has expired.' };

export const jobNotFound: Problem = { code: 'job-not-found', detail: 'No job of yours has this id.' };
