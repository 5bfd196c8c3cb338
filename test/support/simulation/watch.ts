import type { Control } from '#core/control.ts';
import type { Job, RunningJob } from '#core/job.ts';
import type { Limits } from '#core/limits.ts';
import type { Submission } from '#core/submission.ts';
import type { Submitted } from '#flow/submit.ts';
import type { MemoryJobStore } from '../memory/job-store.ts';
import type { MemorySlotRegistry } from '../memory/slot-registry.ts';
import type { Landed } from './calls.ts';
import type { Behaviour } from './handlers.ts';
import type { Actor } from './timeline.ts';
import { promise } from './violation.ts';
import { JobWatch, name } from './watch-jobs.ts';
import { SlotWatch } from './watch-slots.ts';

type Sent = Pick<Job, 'id' | 'tenure'>;

const slotWrites: ReadonlySet<string> = new Set(['take', 'takeMany', 'free', 'writeShard', 'createShard', 'force']);

/** Sees every call that landed and every answer that was given, and holds them against the guarantees. */
export class Watch {
  /** The records as they were after the last call that touched them. */
  readonly jobs = new Map<string, Job>();
  readonly slots: SlotWatch;
  /** Ids of requests that somebody may believe in: accepted, replayed, or without a clear answer. */
  readonly believed = new Set<string>();
  readonly #jobWatch: JobWatch;
  readonly #store: MemoryJobStore;
  readonly #registry: MemorySlotRegistry;
  readonly #sent = new Set<string>();
  /** Handlers that are running, by worker, with whether each is a suspect. */
  readonly #running = new Map<Actor, Map<string, boolean>>();

  constructor(limits: Limits, store: MemoryJobStore, registry: MemorySlotRegistry) {
    this.#jobWatch = new JobWatch(limits);
    this.slots = new SlotWatch(limits);
    this.#store = store;
    this.#registry = registry;
  }

  async afterCall({ actor, port, method, args, result }: Landed): Promise<void> {
    if (port === 'slots') {
      if (method === 'changeControl' && result === true) this.slots.controlChanged(actor.name, args[0] as Control);
      if (method === 'noteDrain' && result === true && args[1] === 'drained') this.slots.drained();
      if (slotWrites.has(method)) this.slots.changed(this.#registry.shards(), this.jobs);
    } else if (port === 'queue') {
      const one = method === 'send' ? [{ message: args[0] as Sent }] : [];
      const many = method === 'sendMany' ? (args[0] as readonly { readonly message: Sent }[]) : [];
      for (const { message } of [...one, ...many]) this.#sent.add(`${message.id}/${message.tenure}`);
    } else if (port === 'store') {
      const id = idOf(args[0]);
      if (id !== undefined) await this.#look(id, method === 'finish' ? (args[0] as RunningJob) : undefined);
    }
  }

  async #look(id: string, finisher: RunningJob | undefined): Promise<void> {
    const before = this.jobs.get(id);
    const after = await this.#store.read(id);
    if (after === undefined) {
      promise('G6', before === undefined, () => `the record of ${before && name(before)} is gone`);
      return;
    }
    if (before?.rev === after.rev && before.updatedAt === after.updatedAt) return;
    this.jobs.set(id, after);
    if (before === undefined) {
      promise('G2', after.state === 'queued' && after.rev === 1, () => `${name(after)} came out of nothing`);
      if ('item' in after.payload) {
        const there = this.#store.payloadTokens().includes(after.payload.item);
        promise('G2', there, () => `${name(after)} was written before its payload`);
      }
    } else {
      this.#jobWatch.moved({ before, after, finisher });
    }
    this.slots.holds(after);
    this.#effects(after);
  }

  #effects(job: Job): void {
    const effects = Number(this.#store.item('ledger', { job: job.id })?.['effects'] ?? 0);
    const due = job.state === 'succeeded' ? 1 : 0;
    promise('G3', effects === due, () => `${name(job)} has ${effects} effects`);
  }

  began(actor: Actor, run: { readonly id: string; readonly starts: number; readonly behaviour: Behaviour }): void {
    this.#jobWatch.began(run);
    const others = this.#running.get(actor) ?? new Map<string, boolean>();
    const suspect = this.#jobWatch.isSuspect(run);
    const alone = others.size === 0 || (!suspect && ![...others.values()].includes(true));
    promise('G5', alone, () => `suspect ${run.id.slice(0, 6)} or a neighbour of it does not run alone`);
    this.#running.set(actor, others.set(run.id, suspect));
  }

  ended(actor: Actor, id: string): void {
    this.#running.get(actor)?.delete(id);
  }

  /** A client has its answer; undefined when it has none. `known`: the record was there when the request came. */
  answered(submission: Submission, answer: Submitted | undefined, known: boolean): void {
    const job = this.jobs.get(submission.id);
    const same = job?.fingerprint === submission.fingerprint;
    const id = submission.id.slice(0, 6);
    if (answer === undefined) {
      this.believed.add(submission.id);
      return;
    }
    if (answer.kind !== 'refused') {
      this.believed.add(submission.id);
      promise('G4', same, () => `${id} was ${answer.kind} for another request`);
      const sent = answer.kind === 'replayed' || this.#sent.has(`${submission.id}/0`);
      promise('G2', sent, () => `${id} was accepted and never sent`);
      return;
    }
    const { code } = answer.problem;
    if (code === 'unavailable') this.believed.add(submission.id);
    else if (code === 'idempotency-conflict') {
      promise('G4', job !== undefined && !same, () => `${id} met a conflict with itself`);
    } else promise('G4', !known, () => `${id} is known and was refused as ${code}`);
  }

  /** When nothing moves any more: what has to be true of all jobs at rest. */
  atRest(): void {
    for (const id of this.believed) {
      const job = this.jobs.get(id);
      // An unclear answer may mean that nothing was written; an accepted job was seen when it was accepted.
      if (job === undefined) continue;
      promise('G6', mayRest(job), () => `${name(job)} never came to an end`);
    }
    for (const job of this.jobs.values()) {
      promise('G4', this.believed.has(job.id), () => `${name(job)} was refused and is there`);
      if (!('item' in job.payload)) continue;
      const kept = this.#store.payloadTokens().includes(job.payload.item);
      promise('G7', kept, () => `the payload of ${name(job)} is lost`);
    }
  }
}

const resting: ReadonlySet<Job['state']> = new Set(['succeeded', 'dead', 'cancelled', 'expired', 'discarded']);
export const mayRest = (job: Job): boolean => resting.has(job.state);

const idOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : undefined;
