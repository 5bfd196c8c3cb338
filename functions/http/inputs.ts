import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { reasonsOf } from '#core/evidence.ts';
import { states } from '#core/job.ts';
import { canonicalJson } from '#core/json.ts';
import { bounds } from '#core/limits.ts';
import { UnfitPosition } from '#core/position.ts';
import type { FieldError } from '#core/problem.ts';
import { fieldErrors, invalid, isJson, notJson, readBody } from '#core/submission.ts';
import { ProblemError } from './answer.ts';
import type { Call } from './router.ts';

const refuse = (errors: readonly FieldError[]): never => {
  throw new ProblemError(invalid(errors));
};

/** The body as JSON of this schema; anything else is a problem that names the fields. */
export const bodyOf = <T>(call: Call, schema: z.ZodMiniType<T>): T => {
  if (!isJson(call.header('content-type'))) throw new ProblemError(notJson);
  const body = readBody(call.body);
  if (!body.ok) throw new ProblemError(body.problem);
  const parsed = schema.safeParse(body.value);
  return parsed.success ? parsed.data : refuse(fieldErrors(parsed.error));
};

/** The query by this schema of texts. Unknown names and repeated ones are refused. */
export const queryOf = <T>(call: Call, schema: z.ZodMiniType<T>): T => {
  const names = [...call.query.keys()];
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) refuse([{ pointer: `query/${twice.slice(0, 100)}`, detail: 'stands more than once' }]);
  const parsed = schema.safeParse(Object.fromEntries(call.query));
  return parsed.success
    ? parsed.data
    : refuse(fieldErrors(parsed.error).map((e) => ({ ...e, pointer: `query${e.pointer}` })));
};

export const noQuery = z.strictObject({});

const wholeText = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.pipe(
    z.string().check(z.regex(/^[0-9]{1,6}$/, message)),
    z.pipe(z.transform(Number), z.number().check(z.minimum(min, message), z.maximum(max, message))),
  );
};
const limitQuery = z._default(
  wholeText(1, bounds.pageLimitMax),
  bounds.pageLimitDefault as never,
) as z.ZodMiniType<number>;

const whole = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int({ error: message, abort: true }).check(z.minimum(min, message), z.maximum(max, message));
};

const shortText = z
  .string('must be a text')
  .check(z.minLength(1, 'must not be empty'), z.maxLength(256, 'is too long'));
const time = z.pipe(
  z.iso.datetime({ offset: true, message: 'must be an ISO 8601 time' }),
  z.transform((text: string) => Date.parse(text)),
);

const deadReasons = [...reasonsOf.JobsDead, ...reasonsOf.Strays] as const;
const reason = z.enum(deadReasons, `must be one of ${deadReasons.join(', ')}`);

export const deadQuery = z.strictObject({
  reason: z.optional(reason),
  type: z.optional(shortText),
  tenant: z.optional(shortText),
  limit: limitQuery,
  cursor: z.optional(z.string()),
});

const filter = z.strictObject({
  reason: z.optional(reason),
  type: z.optional(shortText),
  tenant: z.optional(shortText),
  before: z.optional(time),
  after: z.optional(time),
});

/** Redrive and discard: what to work on must be said, so that an empty body never means "everything". */
export const bulkBody = z
  .strictObject({
    ids: z.optional(
      z
        .array(shortText, 'must be a list of ids')
        .check(
          z.minLength(1, 'must not be empty'),
          z.maxLength(bounds.idsMax, `must have at most ${bounds.idsMax} ids`),
        ),
    ),
    filter: z.optional(filter),
    all: z.optional(z.boolean('must be true or false')),
    limit: z.optional(whole(1, bounds.pageLimitMax)),
    ratePerSecond: z.optional(whole(1, bounds.ratePerSecondMax)),
    dryRun: z.optional(z.boolean('must be true or false')),
    force: z.optional(z.boolean('must be true or false')),
    cursor: z.optional(z.string('must be a text')),
  })
  .check(
    z.refine(
      (b) => b.ids !== undefined || b.filter !== undefined || b.all === true,
      'say which: ids, filter or all: true',
    ),
    z.refine(
      (b) => b.ids === undefined || (b.filter === undefined && b.all !== true),
      'ids stand alone, without filter or all',
    ),
  );

export const intakeBody = z
  .strictObject({
    state: z.enum(['open', 'closed'], 'must be open or closed'),
    mode: z.optional(z.enum(['drain', 'cancel'], 'must be drain or cancel')),
  })
  .check(z.refine((b) => b.state === 'closed' || b.mode === undefined, 'a mode goes with closed only'));

const state = z.enum(states, `must be one of ${states.join(', ')}`);
export const jobsQuery = z.strictObject({
  state: z.optional(state),
  type: z.optional(shortText),
  limit: limitQuery,
  cursor: z.optional(z.string()),
});
export const operatorJobsQuery = z.extend(jobsQuery, { tenant: z.optional(shortText) });
export const waitQuery = z.strictObject({
  waitSeconds: z._default(wholeText(0, bounds.waitSecondsMax), 0 as never) as z.ZodMiniType<number>,
});

/** A call that takes no body may still send an empty object. */
export const noBody = (call: Call): void => {
  if (call.body === undefined || call.body === '') return;
  bodyOf(call, z.strictObject({}));
};

export const capacityBody = z.strictObject({ capacity: whole(1, bounds.capacityMax) });
export const consumerBody = z.strictObject({ state: z.enum(['running', 'paused'], 'must be running or paused') });

/**
 * Cursors are opaque to callers and bound to what they were given for: another query, or another caller, cannot use
 * them. They hold only a place in the answer, so a forged one gains nothing; it is refused so that no page is skipped.
 */
export const makeCursor = (boundTo: unknown, position: string): string =>
  Buffer.from(JSON.stringify([digest(boundTo, position), position])).toString('base64url');

/** Does work from where a cursor points to. One that is not ours, or of a place that no list has, is a wrong field. */
export const fromCursor = async <T>(
  boundTo: unknown,
  cursor: string | undefined,
  pointer: string,
  work: (after: string | undefined) => Promise<T>,
): Promise<T> => {
  const refused = () => refuse([{ pointer, detail: 'is not a cursor of this query; start again without one' }]);
  const after = cursor === undefined ? undefined : (readCursor(boundTo, cursor) ?? refused());
  try {
    return await work(after);
  } catch (error) {
    if (error instanceof UnfitPosition) return refused();
    throw error;
  }
};

const readCursor = (boundTo: unknown, cursor: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (Array.isArray(value) && typeof value[1] === 'string' && value[0] === digest(boundTo, value[1])) return value[1];
  } catch {
    // Not ours either.
  }
  return undefined;
};

const digest = (boundTo: unknown, position: string): string =>
  createHash('sha256')
    .update(canonicalJson([boundTo, position]))
    .digest('base64url')
    .slice(0, 16);
