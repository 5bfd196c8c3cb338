import type { Slot } from './slot.ts';

/**
 * The job as the record holds it: a discriminated union over `state`. All times are epoch milliseconds by the clock of
 * whoever wrote them; ids are hex. Only `transition` makes a value of this type with another state.
 */
export type Job = QueuedJob | RunningJob | RetryingJob | SucceededJob | DeadJob | EndedJob;

export type State = Job['state'];

export const states = [
  'queued',
  'running',
  'retrying',
  'succeeded',
  'dead',
  'cancelled',
  'expired',
  'discarded',
] as const satisfies readonly State[];

/** Why a job is dead. */
export type DeadReason =
  | 'permanent-error'
  | 'attempts-exhausted'
  | 'wait-budget-exhausted'
  | 'worker-lost'
  | 'never-started'
  | 'request-unreadable';

/** Why a message belongs to no job. */
export type StrayReason = 'unreadable' | 'unknown-version' | 'unknown-job' | 'forged';

export interface Reason {
  readonly code: DeadReason;
  /** What the handler's error said, cut to `bounds.reasonMessageChars`. Shown to the owner and operators, never logged. */
  readonly message: string;
}

export type HistoryEventName =
  | 'accept'
  | 'start'
  | 'retry'
  | 'recover'
  | 'succeed'
  | 'dead'
  | 'cancel-request'
  | 'cancel'
  | 'expire'
  | 'redrive'
  | 'discard'
  | 'resend'
  | 'stale';

export interface HistoryEntry {
  readonly at: number;
  readonly event: HistoryEventName;
  readonly attempt?: number;
  readonly detail?: Readonly<Record<string, string | number | boolean>>;
}

export interface JobOptions {
  readonly delaySeconds?: number | undefined;
  readonly deadlineSeconds?: number | undefined;
  readonly waitBudgetSeconds?: number | undefined;
}

/** Where the canonical JSON of the payload lies: in the record, or in an item of its own named by the admitting token. */
type StoredPayload = { readonly inline: string } | { readonly item: string };

/** What a handler said of its work; shown to the owner. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly note?: string | undefined;
}

interface JobBase {
  readonly id: string;
  readonly type: string;
  readonly key: string;
  /** The caller without its session, `account/principal`; the contract's `tenant`. */
  readonly scope: string;
  /** SHA-256 of the canonical request, hex. */
  readonly fingerprint: string;
  readonly payload: StoredPayload;
  readonly options: JobOptions;
  readonly submittedAt: number;
  readonly updatedAt: number;
  /** Counts every write of the record; a read-then-write is guarded by it. */
  readonly rev: number;
  readonly tenure: number;
  /** Starts since the last redrive. */
  readonly attempt: number;
  readonly attemptsMax: number;
  /** Starts for ever. */
  readonly starts: number;
  /** Attempts of this tenure whose worker was lost; a job with one is a suspect and runs alone. */
  readonly losses: number;
  readonly waitedMs: number;
  readonly waitBudgetMs: number;
  readonly deadlineAt?: number | undefined;
  readonly redrives: number;
  /** The slot of the current or last tenure. Kept after the end, so that whoever finds the job may free it again. */
  readonly slot: Slot;
  readonly sentAt: number;
  /** The last send failed or nobody knows how it ended; whoever finds it sends again. */
  readonly unsent?: true | undefined;
  readonly resends: number;
  /** How often a message of this tenure came back from the dead-letter queue without a start in between. */
  readonly returns: number;
  readonly cancelRequested?: true | undefined;
  readonly stale?: true | undefined;
  /** Of the newest attempt that told any. */
  readonly progress?: Progress | undefined;
  readonly history: readonly HistoryEntry[];
}

export interface QueuedJob extends JobBase {
  readonly state: 'queued';
  readonly nextAttemptAt?: number | undefined;
}
export interface RunningJob extends JobBase {
  readonly state: 'running';
  /** Random token of this start: the fence that every later write of the attempt requires. */
  readonly owner: string;
  /** Until when the start may be believed alive, before the grace. A time limit, never an identity. */
  readonly leaseUntil: number;
}
export interface RetryingJob extends JobBase {
  readonly state: 'retrying';
  readonly nextAttemptAt: number;
}
export interface SucceededJob extends JobBase {
  readonly state: 'succeeded';
  /** JSON text of what the handler returned. */
  readonly result: string;
  readonly expiresAt: number;
}
export interface DeadJob extends JobBase {
  readonly state: 'dead';
  readonly reason: Reason;
  readonly diedAt: number;
}
export interface EndedJob extends JobBase {
  readonly state: 'cancelled' | 'expired' | 'discarded';
  /** Only a discarded job has one: what it had died of. */
  readonly reason?: Reason | undefined;
  readonly expiresAt: number;
}

export type InFlightJob = QueuedJob | RunningJob | RetryingJob;
export type FinalJob = SucceededJob | EndedJob;

export const isInFlight = (job: Job): job is InFlightJob =>
  job.state === 'queued' || job.state === 'running' || job.state === 'retrying';

/** In flight and not being worked on: what may start, expire or be buried. */
export const isWaiting = (job: Job): job is QueuedJob | RetryingJob =>
  job.state === 'queued' || job.state === 'retrying';

export const isFinal = (job: Job): job is FinalJob => !isInFlight(job) && job.state !== 'dead';

/** A final record past its TTL counts as absent although DynamoDB, which deletes late, may still return it. */
export const isGone = (job: Job, now: number): boolean => isFinal(job) && job.expiresAt <= now;

/** From when on a start counts as lost: its lease, and the grace for clocks that differ. Epoch milliseconds. */
export const takeoverAt = (job: RunningJob, limits: { readonly leaseGraceSeconds: number }): number =>
  job.leaseUntil + limits.leaseGraceSeconds * 1000;

/** True from the deadline on; a job without one has it always ahead. */
export const deadlinePassed = (job: Job, at: number): boolean => job.deadlineAt !== undefined && job.deadlineAt <= at;
