import { isDeepStrictEqual } from 'node:util';
import { jobId } from '#core/identity.ts';
import { isFinal, type Job } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import type { JobWrite } from '#core/job-write.ts';
import { makeToken, type Slot } from '#core/slot.ts';
import { transition } from '#core/transition.ts';
import type { ConsumerSwitch, JobQueue, JobStore, ReconcilerMemory, SlotRegistry } from '#functions/ports.ts';
import { limits, queued, t0 } from '#test/support/core/jobs.ts';

/** An empty job store, and what a test needs beside the port. */
export interface StoreUnderTest {
  readonly store: JobStore;
  /**
   * The same store through a client that loses the first answer to each call and makes it again, as the SDK does;
   * `between` runs after the first call was made.
   */
  readonly repeating: (between?: () => Promise<void>) => JobStore;
  /** Reads one item of the handlers' table `ledger`, key `account`. */
  readonly ledgerItem: (account: string) => Promise<Readonly<Record<string, unknown>> | undefined>;
}

export interface RegistryUnderTest {
  readonly registry: SlotRegistry;
  readonly repeating: () => SlotRegistry;
}

export interface ReceivedMessage {
  readonly messageId: string;
  readonly receipt: string;
  readonly body: string;
  readonly receiveCount: number;
  readonly suspectPutOffs: number;
}

/** Two empty queues, the main one with a visibility that no test outlives, and the event source mapping's own calls. */
export interface QueueUnderTest {
  readonly queue: JobQueue;
  readonly maxReceiveCount: number;
  readonly receive: () => Promise<readonly ReceivedMessage[]>;
  readonly acknowledge: (receipt: string) => Promise<void>;
  /** Sends a body that need not be one of ours. */
  readonly sendRaw: (body: string) => Promise<void>;
}

export interface SwitchUnderTest {
  readonly consumer: ConsumerSwitch;
  /** Lets a transition come to its end. */
  readonly settle: () => Promise<void>;
}

export interface MemoryUnderTest {
  readonly memory: ReconcilerMemory;
}

let made = 0;

/** What makes a job another one than every other job of the run. */
export const identity = (): Pick<Job, 'id' | 'key' | 'slot'> => {
  made += 1;
  const key = `contract-${made}`;
  const id = jobId('123456789012/AROAEXAMPLE', 'ledger.credit', key);
  return { id, key, slot: slotOf(id) };
};

/** A fresh token for a job, in shard 0 unless told otherwise. */
export const slotOf = (id: string, shard = 0): Slot => {
  made += 1;
  return { shard, token: makeToken(id, made.toString(16).padStart(12, '0'), t0) };
};

/** What an event makes of a job; a refusal is a mistake of the test. */
export const changed = (job: Job, event: JobEvent): Job => {
  const made = transition(job, event, limits);
  if (!made.ok) throw new Error(`${event.type} was refused: ${made.refusal}`);
  return made.job;
};

/** Puts a record there as it is: an insert takes a job of any state. */
export const seeded = async <J extends Job>(store: JobStore, job: J): Promise<J> => {
  const inserted = await store.insert(job, t0);
  if (inserted.kind !== 'inserted') throw new Error('the test means to begin with a record that is not there yet');
  return job;
};

/** A job that a worker has started at t0, as the store has it, with the lease of a minute. */
export const started = async (store: JobStore, over: Parameters<typeof queued>[0] = {}) => {
  const job = await seeded(store, queued({ ...identity(), ...over }));
  const owner = `owner-of-${job.key}`;
  const message = { v: 1, id: job.id, fingerprint: job.fingerprint, tenure: job.tenure } as const;
  const start = await store.start(message, { now: t0, owner, leaseUntil: t0 + 60_000, attempt: job.attempt });
  if (start.kind !== 'started') throw new Error('the test means to begin with a start');
  return start.job;
};

/** Time to live has whole seconds in DynamoDB: a store may keep a final record until the next full one. */
export const asStored = <J extends Job>(job: J): J =>
  isFinal(job) ? { ...job, expiresAt: Math.ceil(job.expiresAt / 1000) * 1000 } : job;

/** Ends a job well at `now`; `external` for one whose effect is already elsewhere. */
export const done = (job: Job & { state: 'running' }, now = t0 + 1_000, external = false): Job =>
  changed(job, {
    type: 'finish',
    now,
    owner: job.owner,
    outcome: { kind: 'done', result: '{"ok":true}', external },
    jitter: 0,
  });

/** Runs a job of its own to its end for the sake of its writes. */
export const finishWith = async (store: JobStore, writes: readonly JobWrite[]) => {
  const job = await started(store);
  return store.finish(job, done(job), writes, true);
};

/** How many of the results are this one. */
export const count = <T>(results: readonly T[], wanted: T): number =>
  results.filter((result) => isDeepStrictEqual(result, wanted)).length;
