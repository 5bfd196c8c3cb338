import type { Control, Drain } from './core/control.ts';
import type { Evidence, GaugeName } from './core/evidence.ts';
import type { DeadReason, Job, Progress, RunningJob, StrayReason } from './core/job.ts';
import type { JobWrite } from './core/job-write.ts';
import type { Message } from './core/message.ts';
import type { Outcome } from './core/outcome.ts';
import type { Shard, Slot } from './core/slot.ts';

/**
 * What the flow needs of the world. Every port has a real adapter and an in-memory double, and one contract suite runs
 * against both. A lost race is a value. A method throws only when the service failed or its answer is unclear; the
 * caller then knows nothing about whether the call took effect.
 */
export interface JobStore {
  /** Strongly consistent. */
  read(id: string): Promise<Job | undefined>;
  /** Strongly consistent, at most 100 ids; absent ones are left out. */
  readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Job>>;
  /** Writes the record if none is there, or only a final one past its TTL. A repetition of itself counts as inserted. */
  insert(job: Job, now: number): Promise<{ kind: 'inserted' } | { kind: 'exists'; job: Job }>;
  /**
   * The guarded start without a read before it: one write on condition that the job is queued or retrying with exactly
   * `attempt` starts in this tenure and no lost one, attempts left, due, before its deadline, as the message names it,
   * and its history not at its bound. A repetition of itself counts as started.
   */
  start(
    message: Message,
    start: StartWrite,
  ): Promise<{ kind: 'started'; job: RunningJob } | { kind: 'refused'; job: Job | undefined }>;
  /**
   * Writes what `transition` made of `from`, on condition that the record is still at `from.rev`. A repetition of itself
   * counts as saved, unless others have written since: the answer is then `lost` with their record.
   */
  save(from: Job, to: Job): Promise<Saved>;
  /**
   * Ends an attempt on condition of its owner: `to` together with the handler's writes, all or nothing. With
   * `unlessCancelled` also on condition that no cancel was requested. Marks that came since `from` was read end with the
   * attempt, history entries stay, and the revision is one above the record's. An answer that was lost is looked up.
   */
  finish(from: RunningJob, to: Job, writes: readonly JobWrite[], unlessCancelled: boolean): Promise<Finished>;
  /** Shows how far a running attempt is, on condition of its owner. False: it is another's by now. */
  noteProgress(job: RunningJob, progress: Progress, now: number): Promise<boolean>;
  /** Payloads that do not fit the record; named by the admitting token, so never shared between submissions. */
  writePayload(token: string, payload: string): Promise<void>;
  readPayload(token: string): Promise<string | undefined>;
  deletePayload(token: string): Promise<void>;
  /** Dead jobs and strays, newest first; eventually consistent. */
  listDead(query: DeadQuery): Promise<DeadPage>;
  /** Counts the index up to `max`; eventually consistent. */
  countDead(max: number): Promise<number>;
  /** Records a message that belongs to no job; a repetition changes nothing. False: it was there already. */
  recordStray(stray: Stray): Promise<boolean>;
  readStrays(ids: readonly string[]): Promise<ReadonlyMap<string, StrayState>>;
  /** Takes a stray off the list; its record goes at `expiresAt` (epoch ms). False: no such stray is kept. */
  discardStray(id: string, expiresAt: number): Promise<boolean>;
  /** Jobs of one tenant, or of all, newest first. The index is eventually consistent, the records are not. */
  listJobs(query: JobsQuery): Promise<JobsPage>;
}

export interface JobsQuery {
  readonly tenant?: string | undefined;
  readonly state?: Job['state'] | undefined;
  readonly type?: string | undefined;
  readonly limit: number;
  /** Go on behind this position, which a page of the same query had. */
  readonly after?: string | undefined;
  /** Epoch ms: final records past their TTL are left out. */
  readonly now: number;
}
export interface JobsPage {
  readonly jobs: readonly Job[];
  /** Where to go on behind each job, in the same order. */
  readonly positions: readonly string[];
  /** Present when there may be more. A page may be short, or empty, and still have it. */
  readonly next?: string | undefined;
}

export interface StartWrite {
  readonly now: number;
  readonly owner: string;
  readonly leaseUntil: number;
  readonly attempt: number;
}

export type Saved = { kind: 'saved' } | { kind: 'lost'; job: Job | undefined };

export type Finished =
  | { kind: 'saved' }
  /** Another owner has the job, or it has ended: our result changes nothing. */
  | { kind: 'fenced'; job: Job | undefined }
  | { kind: 'cancel-requested' }
  /** A condition of the handler's write at this index failed. */
  | { kind: 'condition-failed'; index: number }
  /** The store will never take these writes: an expression is wrong, or an item too large. Nothing was written. */
  | { kind: 'rejected'; detail: string }
  /** Contention or throttling: not written so far. The same call may be made again. */
  | { kind: 'contended' };

export interface Stray {
  readonly id: string;
  readonly reason: StrayReason;
  readonly receivedAt: number;
}
export type StrayState = 'kept' | 'discarded';

export interface DeadFilter {
  readonly reason?: DeadReason | StrayReason | undefined;
  readonly type?: string | undefined;
  readonly tenant?: string | undefined;
  /** Epoch milliseconds, exclusive and inclusive: diedAt < before, diedAt ≥ after. */
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}
export interface DeadQuery {
  readonly filter: DeadFilter;
  readonly limit: number;
  readonly order: 'newest-first' | 'oldest-first';
  /** Go on behind this position, which an entry or a page of the same query and order had. */
  readonly after?: string | undefined;
  readonly strays: boolean;
}
export interface DeadPage {
  readonly entries: readonly DeadEntry[];
  /** Present when there may be more. A page may be short, or empty, and still have it. */
  readonly next?: string | undefined;
}
/** `position` is the store's own text, opaque to everyone else: where to go on behind this entry. */
export type DeadEntry = { readonly position: string } & (
  | { readonly kind: 'job'; readonly job: Job & { state: 'dead' } }
  | { readonly kind: 'stray'; readonly stray: Stray }
);

export interface SlotRegistry {
  /** Strongly consistent; undefined before the first job. */
  readControl(): Promise<Control | undefined>;
  /** Writes the first control item if there is none. */
  createControl(control: Control): Promise<void>;
  /** Writes `next` on condition of `next.version - 1`; false: somebody was faster. */
  changeControl(next: Control): Promise<boolean>;
  /** Notes that the caps of this version were dealt out, if it is still the one in force. */
  markDealt(version: number): Promise<void>;
  /** Notes how far the drain of this version has come, if it is still the one in force; false if not. */
  noteDrain(version: number, intake: Control['intake'], drain: Drain): Promise<boolean>;
  /** Strongly consistent, in order; absent ones are undefined. */
  readShards(indexes: readonly number[]): Promise<readonly (Shard | undefined)[]>;
  /** Creates a shard unless it exists. */
  createShard(shard: Omit<Shard, 'members'>): Promise<void>;
  /**
   * One conditional write; taking the same token twice is taking it once. With `tenantMax` also on condition that the
   * token's tenant (its tag) holds fewer slots than that on this shard, as far as they were taken under a quota; 0 asks
   * nothing and answers `tenant-full`.
   */
  take(slot: Slot, tenantMax?: number): Promise<'taken' | 'full' | 'closed' | 'absent' | 'tenant-full'>;
  /**
   * Takes several slots of one shard in one write, all or none, on condition that the shard still has the cap that was
   * read and room for them all. `moved`: it has not; nothing was taken, and single takes tell why.
   */
  takeMany(shard: number, tokens: readonly string[], readCap: number): Promise<'taken' | 'moved'>;
  /** Removes tokens of one shard; those not there do not matter. */
  free(shard: number, tokens: readonly string[]): Promise<void>;
  /**
   * Sets cap and open under `version`, on condition that the shard is still as it was read, cap and version: a call that
   * arrives late, after its own repetition and what followed it, finds another. Creates a shard that is absent.
   */
  writeShard(next: Omit<Shard, 'members'>, read: Pick<Shard, 'cap' | 'version'> | undefined): Promise<ShardWritten>;
}
export type ShardWritten =
  | { kind: 'written'; shard: Shard }
  | { kind: 'cap-changed'; shard: Shard }
  | { kind: 'superseded' };

/** The main queue and its dead-letter queue. Delays and visibilities in whole seconds, as SQS takes them. */
export interface JobQueue {
  send(message: Sendable, delaySeconds: number, suspectPutOffs?: number): Promise<void>;
  /** Up to 25 messages in as few requests as SQS allows; returns the ids of those that were not sent for certain. */
  sendMany(messages: readonly Outgoing[]): Promise<ReadonlySet<string>>;
  look(): Promise<Backlog>;
  /** False: the message is gone or was received again by somebody else. */
  setVisibility(receipt: string, seconds: number): Promise<boolean>;
  /** Sends a body unchanged to the dead-letter queue, with its reason as an attribute. */
  bury(body: string, attributes: BurialAttributes): Promise<void>;
  /** The counts of the dead-letter queue. */
  lookDead(): Promise<Backlog>;
  /** Receives up to 10 messages of the dead-letter queue, hidden for `hiddenSeconds`. */
  receiveDead(hiddenSeconds: number): Promise<readonly DeadLetter[]>;
  deleteDead(receipt: string): Promise<void>;
  /** Makes a received message visible again after so many seconds; one that is gone does not matter. */
  releaseDead(receipt: string, afterSeconds: number): Promise<void>;
}
/** What a message names; the scope, where it is known, chooses its group for fair queues and does not travel. */
export type Sendable = Pick<Job, 'id' | 'fingerprint' | 'tenure'> & { readonly scope?: string | undefined };
export interface Outgoing {
  readonly message: Sendable;
  readonly delaySeconds: number;
}
/** SQS's own counts; approximate. */
export interface Backlog {
  readonly visible: number;
  readonly notVisible: number;
  readonly delayed: number;
}
export interface BurialAttributes {
  readonly reason: DeadReason | StrayReason;
  readonly strayId?: string;
}
export interface DeadLetter {
  readonly messageId: string;
  readonly receipt: string;
  readonly body: string;
  readonly strayId?: string | undefined;
}

/** The event source mapping that feeds the consumer. */
export interface ConsumerSwitch {
  state(): Promise<ConsumerState>;
  set(wanted: 'running' | 'paused'): Promise<ConsumerState>;
}
export type ConsumerState = 'running' | 'pausing' | 'paused' | 'resuming';

/**
 * A lock with an end, so that one reconciler works at a time, and what it remembers from run to run. The lock is free from
 * `until` on; its owner may acquire it again; only its owner releases it.
 */
export interface ReconcilerMemory {
  acquire(
    owner: string,
    now: number,
    until: number,
  ): Promise<{ kind: 'acquired'; memory: RunMemory } | { kind: 'busy' }>;
  release(owner: string, memory: RunMemory): Promise<void>;
}
export interface RunMemory {
  /** Tokens of ended jobs that the last run saw and left, for a consumer that may be about to free them. */
  readonly seen: readonly string[];
  /** Shard from which the next run goes on. */
  readonly fromShard: number;
  readonly lastRunAt: number;
  /** When a run last found the consumer paused, epoch ms; 0: never. */
  readonly pausedAt?: number;
}

/**
 * Runs one attempt so that it cannot run beside another: `begin` is the guarded start, `work` runs only after it
 * succeeded, and `conclude` gets the outcome exactly once. Never throws for a refused start or a failed attempt, only
 * when begin or conclude threw.
 */
export type RunOnce = (attempt: {
  readonly key: Message;
  readonly remainingMs: () => number;
  readonly begin: () => Promise<boolean>;
  readonly work: () => Promise<Outcome>;
  readonly conclude: (outcome: Outcome) => Promise<void>;
}) => Promise<void>;

export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Fresh lower-case hex digits, two per byte. */
  hex(bytes: number): string;
}

export interface Telemetry {
  note(evidence: Evidence): void;
  gauge(name: GaugeName, value: number): void;
}
