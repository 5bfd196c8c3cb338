import * as z from 'zod/mini';
import { fingerprintOf, jobId } from './identity.ts';
import type { JobOptions } from './job.ts';
import { canonicalJson, parseJson, utf8Bytes } from './json.ts';
import { bounds } from './limits.ts';
import type { FieldError, Problem } from './problem.ts';

/** A submission that passed every check: what the flow admits. */
export interface Submission {
  readonly id: string;
  readonly scope: string;
  readonly type: string;
  readonly key: string;
  readonly fingerprint: string;
  /** Canonical JSON text. */
  readonly payload: string;
  readonly options: JobOptions;
}

/** What the checks need to know of a job type: whether a payload fits it. */
export type PayloadCheck = (payload: unknown) => readonly FieldError[];

export interface RawSubmission {
  readonly scope: string;
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: string | undefined;
}

export type Checked<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: Problem };

const whole = (min: number, max: number) =>
  z
    .int(`must be a whole number from ${min} to ${max}`)
    .check(z.minimum(min, `must be at least ${min}`), z.maximum(max, `must be at most ${max}`));

const optionsSchema = z.strictObject(
  {
    delaySeconds: z.optional(whole(0, bounds.delaySecondsMax)),
    deadlineSeconds: z.optional(whole(1, bounds.deadlineSecondsMax)),
    waitBudgetSeconds: z.optional(whole(0, bounds.waitBudgetSecondsMax)),
  },
  'must be an object',
);

/** The body of one submission. `payload` must be there too, which is checked after its size. */
export const bodySchema = z.strictObject(
  {
    type: z
      .string('must be a text')
      .check(z.minLength(1, 'must not be empty'), z.maxLength(100, 'must be at most 100 characters')),
    payload: z.optional(z.unknown()),
    options: z.optional(optionsSchema),
  },
  'must be an object with type and payload',
);

/**
 * Checks a submission in the order that the contract gives: media type, key, JSON, size, shape, type, payload. Nothing is
 * read or written meanwhile, so a refused one leaves no trace.
 */
export const checkSubmission = (raw: RawSubmission, payloadCheckOf: PayloadChecks): Checked<Submission> => {
  if (!isJson(raw.contentType)) return no(notJson);
  const key = readKey(raw.idempotencyKey);
  if (!key.ok) return key;
  const parsed = readBody(raw.body);
  if (!parsed.ok) return parsed;
  return checkJob(parsed.value, key.value, raw.scope, payloadCheckOf);
};

/** What the checks need to know of the deployed job types. */
export type PayloadChecks = (type: string) => PayloadCheck | undefined;

const batchSchema = z.strictObject(
  {
    jobs: z
      .array(z.unknown(), 'must be a list of jobs')
      .check(
        z.minLength(1, 'must have at least one job'),
        z.maxLength(bounds.batchJobsMax, `must have at most ${bounds.batchJobsMax} jobs`),
      ),
  },
  'must be an object with jobs',
);

/**
 * Checks a bulk submission: the list as a whole, then each job by the same rules as a single one, with its key in the
 * member `key`. One wrong job spoils only itself.
 */
export const checkBatch = (
  raw: Omit<RawSubmission, 'idempotencyKey'>,
  payloadCheckOf: PayloadChecks,
): Checked<readonly Checked<Submission>[]> => {
  if (!isJson(raw.contentType)) return no(notJson);
  const parsed = readBody(raw.body, bounds.batchBodyBytes);
  if (!parsed.ok) return parsed;
  const shape = batchSchema.safeParse(parsed.value);
  if (!shape.success) return no(invalid(fieldErrors(shape.error)));
  const check = (entry: unknown): Checked<Submission> => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
      return no(invalid([{ pointer: '', detail: 'must be an object with key, type and payload' }]));
    }
    const { key, ...job } = entry as Record<string, unknown>;
    if (key !== undefined && typeof key !== 'string')
      return no(invalid([{ pointer: '/key', detail: 'must be a text' }]));
    const read = readKey(key);
    return read.ok ? checkJob(job, read.value, raw.scope, payloadCheckOf) : read;
  };
  return { ok: true, value: shape.data.jobs.map(check) };
};

const checkJob = (body: unknown, key: string, scope: string, payloadCheckOf: PayloadChecks): Checked<Submission> => {
  const payload = typeof body === 'object' && body !== null && 'payload' in body ? body.payload : undefined;
  const canonical = payload === undefined ? '' : canonicalJson(payload);
  const bytes = utf8Bytes(canonical);
  if (bytes > bounds.payloadBytes) return no(tooLarge(`The payload has ${bytes} bytes as canonical JSON`));
  const shape = bodySchema.safeParse(body);
  if (!shape.success) return no(invalid(fieldErrors(shape.error)));
  const { type, options = {} } = shape.data;
  if (payload === undefined) return no(invalid([{ pointer: '/payload', detail: 'is missing' }]));
  const payloadCheck = payloadCheckOf(type);
  if (payloadCheck === undefined) {
    return no({
      code: 'unknown-job-type',
      detail: 'No handler is deployed for this type.',
      errors: [{ pointer: '/type', detail: 'is not a known job type' }],
    });
  }
  const errors = payloadCheck(payload);
  if (errors.length > 0) return no(invalid(errors));
  return {
    ok: true,
    value: {
      id: jobId(scope, type, key),
      scope,
      type,
      key,
      fingerprint: fingerprintOf(type, payload, options),
      payload: canonical,
      options,
    },
  };
};

/** The body of any call as JSON, within the bound on raw bodies. */
export const readBody = (body: string | undefined, bytesMax: number = bounds.requestBodyBytes): Checked<unknown> => {
  if (body === undefined || body === '') return no(invalid([{ pointer: '', detail: 'the body is missing' }]));
  if (utf8Bytes(body) > bytesMax) return no(tooLarge('The body is too large'));
  const parsed = parseJson(body);
  return parsed.ok ? parsed : no(invalid([{ pointer: '', detail: parsed.detail }]));
};

export const notJson: Problem = {
  code: 'unsupported-media-type',
  detail: 'Send the body with the content type application/json.',
};

/** RFC 9110 media types are case-insensitive; the only parameter that JSON could have is utf-8. */
export const isJson = (contentType: string | undefined): boolean =>
  /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(contentType?.trim() ?? '');

const keyPattern = /^[A-Za-z0-9_.:-]{1,64}$/;

/** The header of draft-ietf-httpapi-idempotency-key-header: a quoted text, or, as most clients send it, a bare one. */
const readKey = (header: string | undefined): Checked<string> => {
  const text = header?.trim();
  if (text === undefined || text === '') {
    return no({
      code: 'missing-idempotency-key',
      detail: 'Send an Idempotency-Key header that names this job; a repetition with the same key finds it again.',
    });
  }
  const key = /^"(.*)"$/.exec(text)?.[1] ?? text;
  if (keyPattern.test(key)) return { ok: true, value: key };
  return no({
    code: 'invalid-idempotency-key',
    detail: `An idempotency key has 1 to ${bounds.keyCharsMax} characters of A-Z a-z 0-9 . _ : -`,
    errors: [{ pointer: 'header/Idempotency-Key', detail: 'has other characters or another length' }],
  });
};

const no = (problem: Problem): { ok: false; problem: Problem } => ({ ok: false, problem });

export const invalid = (errors: readonly FieldError[]): Problem => ({
  code: 'invalid-request',
  detail: 'The request does not have the form that this call takes; see errors.',
  errors: errors.slice(0, 20),
});

const tooLarge = (what: string): Problem => ({
  code: 'payload-too-large',
  detail: `${what}; a payload may have ${bounds.payloadBytes}. Put large data elsewhere and send where it lies.`,
});

/** zod's issues as JSON pointers (RFC 6901), below `base`. */
export const fieldErrors = (error: z.core.$ZodError, base = ''): readonly FieldError[] =>
  error.issues.flatMap((issue) => {
    const at = issue.path.reduce<string>(
      (p, part) => `${p}/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      base,
    );
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.slice(0, 20).map((name) => ({
        pointer: `${at}/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`,
        detail: 'is not known here',
      }));
    }
    return [{ pointer: at, detail: issue.message || 'is not valid' }];
  });
