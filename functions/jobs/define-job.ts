import * as z from 'zod/mini';
import type { JobWrite } from '#core/job-write.ts';
import type { FieldError } from '#core/problem.ts';
import { fieldErrors } from '#core/submission.ts';

/** What a handler gets. */
export interface JobContext<Payload> {
  readonly id: string;
  /** A deep-frozen copy: the stored request never changes. */
  readonly payload: Payload;
  /** Starts since the last redrive, from 1. */
  readonly attempt: number;
  /** Starts in the job's whole life, from 1. */
  readonly starts: number;
  /** The same over retries and redrives: send it along with every effect elsewhere, which happens at least once. */
  readonly idempotencyKey: string;
  /** Aborted at the job's timeout, on a cancel that a checkpoint found, and before the function's own end. */
  readonly signal: AbortSignal;
  /** Throws if a cancel was requested or another worker has taken over; costs one read. */
  readonly checkpoint: () => Promise<void>;
  /** Shows how far the work is; at most once a second reaches the record, and nothing waits for it. */
  readonly progress: (done: number, total: number, note?: string) => void;
  readonly log: JobLogger;
}

export interface JobLogger {
  info(message: string, detail?: Readonly<Record<string, string | number | boolean>>): void;
  warn(message: string, detail?: Readonly<Record<string, string | number | boolean>>): void;
}

/** What a handler returns: writes to commit with the job's completion, and a result that GET /jobs/{id} shows. */
export interface JobDone {
  readonly writes?: readonly JobWrite[];
  /** Any JSON value up to `bounds.resultBytes`; undefined is null. */
  readonly result?: unknown;
}

export interface JobDefinition<Payload = unknown> {
  readonly type: string;
  readonly payload: z.core.$ZodType<Payload>;
  /** The stage caps it by its own `jobTimeoutSeconds`. */
  readonly timeoutSeconds: number;
  /** The handler has effects elsewhere: a cancel after its last checkpoint does not hide that they were done. */
  readonly external?: boolean;
  readonly run: (context: JobContext<Payload>) => JobDone | Promise<JobDone>;
}

/** Throw it for what may pass: the job is tried again, within its attempts and its wait budget. All else is permanent. */
export class Retryable extends Error {
  override readonly name = 'Retryable';
  /** Not before this long from now. It only makes the wait longer; one beyond the job's wait budget ends the job. */
  readonly afterSeconds: number | undefined;

  constructor(message?: string, options: ErrorOptions & { readonly afterSeconds?: number | undefined } = {}) {
    super(message, options);
    const { afterSeconds } = options;
    this.afterSeconds = afterSeconds !== undefined && afterSeconds > 0 ? afterSeconds : undefined;
  }
}

/** A definition without its payload type, as the registry and the flow hold it. */
export interface Job {
  readonly type: string;
  readonly timeoutSeconds: number;
  readonly external: boolean;
  readonly check: (payload: unknown) => readonly FieldError[];
  /** Returns undefined when the payload does not fit the schema. */
  readonly bind: (
    payload: unknown,
  ) => ((context: Omit<JobContext<unknown>, 'payload'>) => JobDone | Promise<JobDone>) | undefined;
}

/** Defines a job type. Errors: TypeError when the type's name is not 1 to 100 of `a-z 0-9 . _ -`. */
export const defineJob = <Payload>(definition: JobDefinition<Payload>): Job => {
  if (!/^[a-z0-9._-]{1,100}$/.test(definition.type)) {
    throw new TypeError(`the job type "${definition.type}" must have 1 to 100 characters of a-z 0-9 . _ -`);
  }
  const parse = (payload: unknown) => z.safeParse(definition.payload, payload);
  return {
    type: definition.type,
    timeoutSeconds: definition.timeoutSeconds,
    external: definition.external ?? false,
    check: (payload) => {
      const parsed = parse(payload);
      return parsed.success ? [] : fieldErrors(parsed.error, '/payload');
    },
    bind: (payload) => {
      const parsed = parse(payload);
      if (!parsed.success) return undefined;
      const frozen = deepFreeze(parsed.data);
      return (context) => definition.run({ ...context, payload: frozen });
    },
  };
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
};

/** The job types that a deployment knows, by name. */
export type JobRegistry = ReadonlyMap<string, Job>;

export const jobRegistry = (...jobs: readonly Job[]): JobRegistry => {
  const registry = new Map(jobs.map((job) => [job.type, job]));
  if (registry.size !== jobs.length) throw new TypeError('two jobs have the same type');
  return registry;
};
