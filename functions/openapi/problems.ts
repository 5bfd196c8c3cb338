import { bounds } from '#core/limits.ts';
import { isRetryable, type ProblemCode, problemStatus } from '#core/problem.ts';
import { problemBody } from '#functions/http/answer.ts';
import { list, object, ref, type Schema, text, words } from './schema.ts';

const problemCodes = Object.keys(problemStatus) as ProblemCode[];

/** What each code tells a caller. */
export const problemMeanings: Readonly<Record<ProblemCode, string>> = {
  'invalid-request': 'The request has another form than this call takes; `errors` names the fields.',
  'missing-idempotency-key': 'There is no `Idempotency-Key`.',
  'invalid-idempotency-key': 'The `Idempotency-Key` has other characters, or another length.',
  'unknown-job-type': 'No handler is deployed for this type.',
  forbidden: 'The request is not signed, or its signer may not call this route.',
  'caller-unknown': 'The request carries no identity.',
  'job-not-found': 'There is no such job, or it is another caller’s.',
  'route-not-found': 'There is no such path.',
  'method-not-allowed': 'The path takes other methods; `Allow` names them.',
  'not-in-flight': 'The job has ended, so there is nothing to cancel.',
  'payload-too-large': 'The payload, or the body around it, is too large.',
  'unsupported-media-type': 'The content type is absent, or not `application/json`.',
  'idempotency-conflict': 'The key was used for another request. Nothing was changed.',
  'queue-full': 'The capacity is reached. Nothing was accepted and the key is not used up.',
  'tenant-quota': 'Your share of the capacity is reached. Nothing was accepted and the key is not used up.',
  'rate-limited': 'The API as a whole is called more often than it accepts.',
  'intake-closed': 'An operator has closed the intake. Nothing was accepted and the key is not used up.',
  unavailable: 'The outcome is not known for certain. The same request with the same key leads to the one job.',
  internal: 'Something failed on our side and was logged under the request id.',
};

/** One for each code, which the answers name. */
export const problemExamples = () =>
  Object.fromEntries(problemCodes.map((code) => [code, { value: exampleProblem(code) }]));

/** What `Retry-After` says, in seconds, from and to. */
const retryAfter: Readonly<Partial<Record<ProblemCode, readonly [number, number]>>> = {
  'queue-full': [1, bounds.retryAfterFullMaxSeconds],
  'tenant-quota': [1, bounds.retryAfterFullMaxSeconds],
  'rate-limited': [1, 1],
  'intake-closed': [bounds.retryAfterClosedSeconds, bounds.retryAfterClosedSeconds],
  unavailable: [bounds.retryAfterUnavailableSeconds, bounds.retryAfterUnavailableSeconds],
};

/** Typed by what the code answers with, as in `job-schemas.ts`. */
const properties: Readonly<Record<keyof ReturnType<typeof problemBody> | 'errors', Schema>> = {
  type: text('Always about:blank: `code` tells what it leaves open.', { enum: ['about:blank'] }),
  title: text('The phrase of the status.'),
  status: { type: 'integer', description: 'The HTTP status.', minimum: 400, maximum: 599 },
  detail: text('For people; may change.'),
  code: words('For programs; does not change.', problemCodes),
  retryable: { type: 'boolean', description: 'True for 429 and 503: the same request may succeed later.' },
  requestId: text('Names this request in our logs.'),
  errors: list(
    object('One wrong field.', {
      pointer: text('A JSON pointer (RFC 6901) into the body, or `header/…`, or `query/…`.'),
      detail: text('What is wrong with it.'),
    }),
    'Where a field is wrong.',
    { minItems: 1, maxItems: 20 },
  ),
};

export const problemSchemas: Readonly<Record<string, Schema>> = {
  Problem: object('An error as problem details (RFC 9457).', properties, ['errors']),
};

const exampleErrors: Readonly<Partial<Record<ProblemCode, readonly { pointer: string; detail: string }[]>>> = {
  'invalid-request': [{ pointer: '/options/delaySeconds', detail: `must be at most ${bounds.delaySecondsMax}` }],
  'invalid-idempotency-key': [{ pointer: 'header/Idempotency-Key', detail: 'has other characters or another length' }],
  'unknown-job-type': [{ pointer: '/type', detail: 'is not a known job type' }],
};

export const exampleProblem = (code: ProblemCode) =>
  problemBody(
    { code, detail: problemMeanings[code], ...(exampleErrors[code] && { errors: exampleErrors[code] }) },
    '0f8fad5b-d9cb-469f-a165-70867728950e',
  );

const retryAfterHeader = (codes: readonly ProblemCode[]) => {
  const spans = codes.flatMap((code) => retryAfter[code] ?? []);
  return {
    'Retry-After': {
      description: 'Whole seconds after which the same request may be sent again.',
      required: true,
      schema: { type: 'integer', minimum: Math.min(...spans), maximum: Math.max(...spans) },
    },
  };
};

/** Any call may meet these: from the gateway, or when a service behind it fails. */
const everywhere: readonly ProblemCode[] = ['forbidden', 'caller-unknown', 'rate-limited', 'internal', 'unavailable'];

/** The error answers of a call, by status, with an example of each code. */
export const problemResponses = (...codes: readonly ProblemCode[]): Readonly<Record<string, unknown>> => {
  const byStatus = Map.groupBy([...codes, ...everywhere], (code) => problemStatus[code]);
  const statuses = [...byStatus].sort(([a], [b]) => a - b);
  return Object.fromEntries(
    statuses.map(([status, own]) => [
      String(status),
      {
        description: own.map((code) => `\`${code}\`: ${problemMeanings[code]}`).join('\n\n'),
        ...(own.some(isRetryable) && { headers: retryAfterHeader(own) }),
        content: {
          'application/problem+json': {
            schema: ref('Problem'),
            examples: Object.fromEntries(own.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
          },
        },
      },
    ]),
  );
};
