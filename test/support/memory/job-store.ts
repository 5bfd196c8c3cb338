import { isDeepStrictEqual } from 'node:util';
import { isGone, type Job, type Progress, type RunningJob } from '#core/job.ts';
import type { JobWrite } from '#core/job-write.ts';
import { bounds, productionLimits } from '#core/limits.ts';
import type { Message } from '#core/message.ts';
import { transition } from '#core/transition.ts';
import type {
  DeadPage,
  DeadQuery,
  Finished,
  JobStore,
  JobsPage,
  JobsQuery,
  Saved,
  StartWrite,
  Stray,
  StrayState,
} from '#functions/ports.ts';
import { copyOf } from './copy.ts';
import { type DeadJobOf, deadPage } from './dead-index.ts';
import { InvalidWrites, type Item } from './expressions.ts';
import { type Committed, type Key, MemoryTables } from './tables.ts';
import { writerOfThisCall } from './writer.ts';

export interface MemoryJobStoreOptions {
  /** The handlers' tables that are configured; without it every name is one. */
  readonly tables?: readonly string[];
  /** Asked before each finish: true makes it end as contended, which memory alone never is. */
  readonly contended?: () => boolean;
}

/** The job table in memory. No method awaits anything inside, so each call is one atomic step. */
export class MemoryJobStore implements JobStore {
  readonly #jobs = new Map<string, Job>();
  readonly #payloads = new Map<string, string>();
  readonly #strays = new Map<string, { readonly stray: Stray; readonly state: StrayState }>();
  /** Who wrote each record last: what the real record's `writer` holds. */
  readonly #writers = new Map<string, unknown>();
  readonly #tables: MemoryTables;
  readonly #contended: () => boolean;

  constructor(options: MemoryJobStoreOptions = {}) {
    this.#tables = new MemoryTables(options.tables);
    this.#contended = options.contended ?? (() => false);
  }

  async read(id: string): Promise<Job | undefined> {
    return copyOf(this.#jobs.get(id));
  }

  async readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Job>> {
    if (ids.length > bounds.idsMax) throw new RangeError(`at most ${bounds.idsMax} ids, not ${ids.length}`);
    return new Map(ids.flatMap((id) => pair(id, this.#jobs.get(id))));
  }

  async insert(job: Job, now: number): Promise<{ kind: 'inserted' } | { kind: 'exists'; job: Job }> {
    const there = this.#jobs.get(job.id);
    if (there !== undefined && !isGone(there, now)) {
      // The slot's token is fresh for each submission: a record that carries ours is our own write, come to us again.
      return there.slot.token === job.slot.token ? { kind: 'inserted' } : { kind: 'exists', job: copyOf(there) };
    }
    this.#write(job, writerOfThisCall());
    return { kind: 'inserted' };
  }

  async start(
    message: Message,
    start: StartWrite,
  ): Promise<{ kind: 'started'; job: RunningJob } | { kind: 'refused'; job: Job | undefined }> {
    const job = this.#jobs.get(message.id);
    if (job?.state === 'running' && job.owner === start.owner) return { kind: 'started', job: copyOf(job) };
    const next = job && isStartable(job, message, start) ? startOf(job, start) : undefined;
    if (next === undefined) return { kind: 'refused', job: copyOf(job) };
    this.#write(next, start.owner);
    return { kind: 'started', job: copyOf(next) };
  }

  async save(from: Job, to: Job): Promise<Saved> {
    assertFollows(from, to);
    const writer = writerOfThisCall();
    if (this.#writers.get(from.id) === writer) return { kind: 'saved' };
    const there = this.#jobs.get(from.id);
    if (there?.rev !== from.rev) return { kind: 'lost', job: copyOf(there) };
    this.#write(to, writer);
    return { kind: 'saved' };
  }

  async finish(from: RunningJob, to: Job, writes: readonly JobWrite[], unlessCancelled: boolean): Promise<Finished> {
    assertFollows(from, to);
    if (this.#contended()) return { kind: 'contended' };
    // The same text for each try of one end, as long as nobody has written since: an end that landed is not fenced.
    const writer = `${from.owner}/${to.state}`;
    if (this.#writers.get(from.id) === writer) return { kind: 'saved' };
    const there = this.#jobs.get(from.id);
    if (there?.state !== 'running' || there.owner !== from.owner) return { kind: 'fenced', job: copyOf(there) };
    if (unlessCancelled && there.cancelRequested) return { kind: 'cancel-requested' };
    const committed = this.#commit(writes);
    if (committed.kind !== 'written') return committed;
    // Somebody may have marked the job since `from` was read. Its revision must not be reached twice, or a save by who
    // read the marked record would pass over the finished one; and what was marked stays in the history.
    const added = to.history.slice(from.history.length);
    const grown = isDeepStrictEqual(copyOf(to.history.slice(0, from.history.length)), copyOf(from.history));
    const progress = to.progress ?? there.progress;
    this.#write(
      {
        ...to,
        ...(progress && { progress }),
        rev: there.rev + 1,
        history: grown ? [...there.history, ...added] : to.history,
      },
      writer,
    );
    return { kind: 'saved' };
  }

  async noteProgress(job: RunningJob, progress: Progress, now: number): Promise<boolean> {
    const there = this.#jobs.get(job.id);
    if (there?.state !== 'running' || there.owner !== job.owner) return false;
    this.#write({ ...there, progress, updatedAt: now, rev: there.rev + 1 }, this.#writers.get(job.id));
    return true;
  }

  async writePayload(token: string, payload: string): Promise<void> {
    this.#payloads.set(token, payload);
  }

  async readPayload(token: string): Promise<string | undefined> {
    return this.#payloads.get(token);
  }

  async deletePayload(token: string): Promise<void> {
    this.#payloads.delete(token);
  }

  async listDead(query: DeadQuery): Promise<DeadPage> {
    return copyOf(deadPage(this.#dead(), this.#kept(), query));
  }

  async countDead(max: number): Promise<number> {
    return Math.min(max, this.#dead().length + this.#kept().length);
  }

  async recordStray(stray: Stray): Promise<boolean> {
    if (this.#strays.has(stray.id)) return false;
    this.#strays.set(stray.id, { stray: copyOf(stray), state: 'kept' });
    return true;
  }

  async readStrays(ids: readonly string[]): Promise<ReadonlyMap<string, StrayState>> {
    return new Map(ids.flatMap((id) => pair(id, this.#strays.get(id)?.state)));
  }

  async discardStray(id: string, _expiresAt: number): Promise<boolean> {
    const entry = this.#strays.get(id);
    if (entry?.state !== 'kept') return false;
    this.#strays.set(id, { ...entry, state: 'discarded' });
    return true;
  }

  async listJobs({ tenant, state, type, limit, after, now }: JobsQuery): Promise<JobsPage> {
    const found = [...this.#jobs.values()]
      .filter((job) => !isGone(job, now))
      .filter((job) => (tenant ?? job.scope) === job.scope && (state ?? job.state) === job.state)
      .filter((job) => (type ?? job.type) === job.type)
      .toSorted((a, b) => b.submittedAt - a.submittedAt || (a.id < b.id ? -1 : 1));
    const from = after === undefined ? 0 : found.findIndex((job) => job.id === after) + 1;
    const jobs = found.slice(from, from + limit);
    const next = from + limit < found.length ? jobs.at(-1)?.id : undefined;
    return copyOf({ jobs, positions: jobs.map((job) => job.id), ...(next !== undefined && { next }) });
  }

  /** Test side: every record as it is, in the order of the first insert. */
  jobs(): readonly Job[] {
    return [...this.#jobs.values()].map(copyOf);
  }

  /** Test side: puts a record there whatever was there before. */
  put(job: Job): void {
    this.#write(job, undefined);
  }

  /** Test side: what DynamoDB's TTL does some time after a record is gone. */
  remove(id: string): void {
    this.#jobs.delete(id);
    this.#writers.delete(id);
  }

  /** Test side: tokens that payload items are stored under. */
  payloadTokens(): readonly string[] {
    return [...this.#payloads.keys()];
  }

  /** Test side: one item of a handler's table. */
  item(table: string, key: Key): Item | undefined {
    return this.#tables.item(table, key);
  }

  /** Test side: all items of a handler's table. */
  items(table: string): readonly Item[] {
    return this.#tables.items(table);
  }

  #write(job: Job, writer: unknown): void {
    this.#jobs.set(job.id, copyOf(job));
    this.#writers.set(job.id, writer);
  }

  #commit(writes: readonly JobWrite[]): Committed | { kind: 'rejected'; detail: string } {
    try {
      return this.#tables.commit(writes);
    } catch (error) {
      if (error instanceof InvalidWrites) return { kind: 'rejected', detail: error.message };
      throw error;
    }
  }

  #dead(): readonly DeadJobOf[] {
    return [...this.#jobs.values()].filter((job) => job.state === 'dead');
  }

  #kept(): readonly Stray[] {
    return [...this.#strays.values()].filter(({ state }) => state === 'kept').map(({ stray }) => stray);
  }
}

const pair = <T>(id: string, value: T | undefined): [string, T][] => (value === undefined ? [] : [[id, copyOf(value)]]);

/** The guard of the start, apart from what `transition` refuses. A full history is for the read-then-save way to cut. */
const isStartable = (job: Job, message: Message, start: StartWrite): boolean =>
  job.fingerprint === message.fingerprint &&
  job.tenure === message.tenure &&
  job.attempt === start.attempt &&
  job.losses === 0 &&
  job.history.length < bounds.historyEntriesMax;

const startOf = (job: Job, { now, owner, leaseUntil }: StartWrite): RunningJob | undefined => {
  const next = transition(job, { type: 'start', now, owner, leaseUntil }, productionLimits);
  return next.ok && next.job.state === 'running' ? next.job : undefined;
};

/** A write that does not follow from what was read is a mistake of the caller, not a lost race. */
const assertFollows = (from: Job, to: Job): void => {
  if (from.id !== to.id) throw new TypeError('a job cannot become another job');
  if (to.rev <= from.rev) throw new TypeError('a write must raise the revision');
};
