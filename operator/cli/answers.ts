import * as z from 'zod/mini';

/*
 * What the command line reads of the API's answers. The objects are loose, since the contract may grow; an answer that
 * lacks what is named here is of another API.
 */

const optionalText = z.optional(z.string());

export const jobAnswer = z.looseObject({
  id: z.string(),
  type: z.string(),
  key: z.string(),
  state: z.string(),
  attempt: z.number(),
  attemptsMax: z.number(),
  starts: z.number(),
  tenant: z.string(),
  submittedAt: z.string(),
  updatedAt: z.string(),
  nextAttemptAt: optionalText,
  deadlineAt: optionalText,
  stale: z.optional(z.boolean()),
  cancelRequested: z.optional(z.boolean()),
  result: z.optional(z.unknown()),
  reason: z.optional(z.looseObject({ code: z.string(), message: z.string() })),
  progress: z.optional(z.looseObject({ done: z.number(), total: z.number(), note: optionalText })),
  redrives: z.number(),
  payload: z.optional(z.unknown()),
  history: z.array(
    z.looseObject({
      at: z.string(),
      event: z.string(),
      attempt: z.optional(z.number()),
      detail: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
});
export type JobAnswer = z.infer<typeof jobAnswer>;

const strayAnswer = z.looseObject({
  id: z.string(),
  stray: z.literal(true),
  reason: z.string(),
  receivedAt: z.string(),
});
export type StrayAnswer = z.infer<typeof strayAnswer>;

export const jobsPage = z.looseObject({ jobs: z.array(jobAnswer), cursor: optionalText });
export const deadPage = z.looseObject({ jobs: z.array(z.union([strayAnswer, jobAnswer])), cursor: optionalText });
export type DeadEntry = StrayAnswer | JobAnswer;

const maybeCount = z.nullable(z.number());
export const statusAnswer = z.looseObject({
  intake: z.string(),
  capacity: z.number(),
  inFlight: z.looseObject({ total: z.number(), queued: maybeCount, running: maybeCount, retrying: maybeCount }),
  backlog: z.looseObject({ visible: z.number(), notVisible: z.number(), delayed: z.number() }),
  dead: z.number(),
  consumer: z.string(),
  drain: z.optional(z.looseObject({ left: z.number(), until: optionalText, waitingFor: optionalText })),
});
export type StatusAnswer = z.infer<typeof statusAnswer>;

export const bulkAnswer = z.looseObject({
  examined: z.number(),
  moved: z.number(),
  skipped: z.array(z.looseObject({ id: z.string(), code: z.string() })),
  stoppedBy: z.string(),
  cursor: optionalText,
  dryRun: z.boolean(),
});
export type BulkAnswer = z.infer<typeof bulkAnswer>;

/** RFC 9457, as far as it is shown. */
export const problemAnswer = z.looseObject({
  status: z.number(),
  detail: z.string(),
  code: z.string(),
  retryable: z.boolean(),
  requestId: optionalText,
  errors: z.optional(z.array(z.looseObject({ pointer: z.string(), detail: z.string() }))),
});
export type ProblemAnswer = z.infer<typeof problemAnswer>;
