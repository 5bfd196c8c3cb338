import type { Control } from '#core/control.ts';
import { type InFlightJob, isInFlight, type Job } from '#core/job.ts';
import {
  isStale,
  judgeToken,
  type QueueView,
  type Repair,
  readyAt,
  reconcileLagSeconds,
  repairOf,
} from '#core/reconciliation.ts';
import { type Shard, type Slot, tokenJobId } from '#core/slot.ts';
import type { JobEvent } from '#core/transition.ts';
import type { ConsumerSwitch, ReconcilerMemory, RunMemory } from '#functions/ports.ts';
import { carryDrain, type DrainLook } from './intake.ts';
import { noteEnd, noteRecovery } from './note.ts';
import { dealOut, initialControl, needsDeal } from './registry.ts';
import { moveJob } from './save-transition.ts';
import { sendJob } from './send-job.ts';
import { type Swept, sweepDeadLetters } from './sweep.ts';
import type { World } from './world.ts';

export interface ReconcilerWorld extends World {
  readonly consumer: Pick<ConsumerSwitch, 'state'>;
  readonly memory: ReconcilerMemory;
}

/** What a run did; the answer of the Lambda, and its log line. */
export interface Report {
  readonly ran: boolean;
  readonly slotsTaken: number;
  readonly capacity: number;
  readonly looked: number;
  readonly freed: number;
  readonly repaired: Readonly<Partial<Record<Exclude<Repair, 'none'>, number>>>;
  readonly stale: number;
  readonly failed: number;
  readonly dealt: boolean;
  readonly swept: Swept;
  readonly drain?: DrainLook;
}

/** Before the function's own end; what is left waits a minute. */
const reserveMs = 5_000;
/** A run that is invoked by hand waits this long for the scheduled one. */
const lockWaitMs = 10_000;
const lockPollMs = 200;

/** One run, alone and bounded. Every write in it is guarded, so a second run beside it would do no harm either. */
export const reconcile = async (
  world: ReconcilerWorld,
  remainingMs: () => number,
): Promise<Report | { ran: false }> => {
  const owner = world.random.hex(8);
  const startedAt = world.clock.now();
  const until = startedAt + remainingMs() - reserveMs;
  const memory = await lock(world, owner, startedAt + remainingMs(), Math.min(startedAt + lockWaitMs, until));
  if (memory === undefined) return { ran: false };
  const run = new Run(world, memory, startedAt, until);
  try {
    return await run.all();
  } finally {
    await world.memory.release(owner, { seen: run.seen, fromShard: run.nextShard, lastRunAt: startedAt });
  }
};

const lock = async (
  world: ReconcilerWorld,
  owner: string,
  end: number,
  giveUpAt: number,
): Promise<RunMemory | undefined> => {
  for (;;) {
    const got = await world.memory.acquire(owner, world.clock.now(), end);
    if (got.kind === 'acquired') return got.memory;
    if (world.clock.now() >= giveUpAt) return undefined;
    await world.clock.wait(lockPollMs);
  }
};

/** Tokens that a run remembers for the next, at most; beyond, an ended job's slot simply counts as seen one run later. */
const seenMax = 1_000;
const readAtOnce = 100;
const repairsAtOnce = 8;

class Run {
  readonly #world: ReconcilerWorld;
  readonly #memory: RunMemory;
  readonly #startedAt: number;
  readonly #until: number;
  readonly #repaired: Partial<Record<Exclude<Repair, 'none'>, number>> = {};
  #looked = 0;
  #freed = 0;
  #stale = 0;
  #failed = 0;
  #oldestReadyAt = Number.POSITIVE_INFINITY;
  #tokensLeft = 0;
  readonly seen: string[] = [];
  nextShard = 0;

  constructor(world: ReconcilerWorld, memory: RunMemory, startedAt: number, until: number) {
    this.#world = world;
    this.#memory = memory;
    this.#startedAt = startedAt;
    this.#until = until;
  }

  async all(): Promise<Report> {
    const { slots, clock, limits, telemetry } = this.#world;
    const control = (await slots.readControl()) ?? (await initialControl(this.#world));
    const shards = await slots.readShards(Array.from({ length: control.shards }, (_, i) => i));
    const queue = await this.#queueView();
    await this.#lookAtTokens(shards, queue);
    const dealt = await this.#finishDeal(control, shards);
    const swept = await this.#guarded(
      () => sweepDeadLetters(this.#world, limits.sweepMessagesMax, this.#until, limits.reconcilerPeriodSeconds),
      {
        examined: 0,
        deleted: 0,
        resent: 0,
        strays: 0,
      },
    );
    const drain = await this.#guarded(async () => {
      const now = (await slots.readControl()) ?? control;
      const backlog = now.intake === 'draining' ? await this.#world.queue.look() : undefined;
      return carryDrain(this.#world, now, backlog, this.#until);
    }, undefined);
    const slotsTaken = shards.reduce((sum, shard) => sum + (shard?.members.length ?? 0), 0) - this.#freed;
    telemetry.gauge('SlotsTaken', slotsTaken);
    telemetry.gauge('Capacity', control.capacity);
    if (queue.backlog !== undefined) telemetry.gauge('Backlog', queue.backlog);
    const now = clock.now();
    telemetry.gauge('OldestReadyAge', Math.max(0, Math.round((now - Math.min(now, this.#oldestReadyAt)) / 1000)));
    const { lastRunAt } = this.#memory;
    const lag = { startedAt: this.#startedAt, lastRunAt, tokensLeft: this.#tokensLeft };
    telemetry.gauge('ReconcileLag', reconcileLagSeconds(lag, limits));
    const report: Report = {
      ran: true,
      slotsTaken,
      capacity: control.capacity,
      looked: this.#looked,
      freed: this.#freed,
      repaired: this.#repaired,
      stale: this.#stale,
      failed: this.#failed,
      dealt,
      swept,
      ...(drain && { drain }),
    };
    telemetry.note({
      metric: 'ReconcilerRuns',
      code: this.#failed === 0 ? 'done' : 'partly',
      detail: {
        slotsTaken,
        looked: this.#looked,
        freed: this.#freed,
        stale: this.#stale,
        failed: this.#failed,
        swept: swept.examined,
      },
    });
    return report;
  }

  /** Without SQS's counts or the mapping's state the careful answer is: a backlog may be there, and nothing is paused. */
  async #queueView(): Promise<QueueView & { readonly backlog: number | undefined }> {
    const [backlog, consumer] = await Promise.all([
      this.#guarded(() => this.#world.queue.look(), undefined),
      this.#guarded(() => this.#world.consumer.state(), undefined),
    ]);
    return {
      visible: backlog?.visible,
      paused: consumer === 'paused' || consumer === 'pausing',
      backlog: backlog && backlog.visible + backlog.notVisible + backlog.delayed,
    };
  }

  /** All tokens in flight, from where the last run stopped, as far as bound and time allow. */
  async #lookAtTokens(shards: readonly (Shard | undefined)[], queue: QueueView): Promise<void> {
    const from = this.#memory.fromShard < shards.length ? this.#memory.fromShard : 0;
    const order = shards.map((_, i) => (from + i) % shards.length);
    const tokens = order.flatMap((i) => (shards[i]?.members ?? []).map((token): Slot => ({ shard: i, token })));
    for (let at = 0; at < tokens.length; at += readAtOnce) {
      if (this.#looked >= this.#world.limits.reconcilerRecordsMax || this.#world.clock.now() >= this.#until) {
        this.nextShard = tokens[at]?.shard ?? 0;
        this.#tokensLeft = tokens.length - at;
        return;
      }
      const some = tokens.slice(at, at + readAtOnce);
      const jobs = await this.#guarded(
        () => this.#world.store.readMany(some.map((slot) => tokenJobId(slot.token))),
        undefined,
      );
      if (jobs === undefined) continue;
      this.#looked += some.length;
      await this.#judgeAll(some, jobs, queue);
    }
  }

  async #judgeAll(some: readonly Slot[], jobs: ReadonlyMap<string, Job>, queue: QueueView): Promise<void> {
    const free: Slot[] = [];
    for (let at = 0; at < some.length; at += repairsAtOnce) {
      const judged = await Promise.all(
        some
          .slice(at, at + repairsAtOnce)
          .map((slot) => this.#guarded(() => this.#judge(slot, jobs.get(tokenJobId(slot.token)), queue), undefined)),
      );
      free.push(...judged.filter((slot) => slot !== undefined));
    }
    for (const [shard, slots] of Map.groupBy(free, (slot) => slot.shard)) {
      await this.#guarded(async () => {
        await this.#world.slots.free(
          shard,
          slots.map((slot) => slot.token),
        );
        this.#freed += slots.length;
      }, undefined);
    }
  }

  /** Returns the slot if it is to be freed. */
  async #judge(slot: Slot, job: Job | undefined, queue: QueueView): Promise<Slot | undefined> {
    const { clock, limits, store, telemetry } = this.#world;
    const verdict = judgeToken(slot, job, clock.now(), limits);
    if (verdict === 'young') return undefined;
    if (verdict === 'alive' && job !== undefined) return (await this.#repair(job, queue)) ? slot : undefined;
    if (verdict === 'ended' && job !== undefined) {
      // Its consumer may be about to free it with the rest of its batch; only what is left behind counts as reclaimed.
      const mayBeBusy = clock.now() - job.updatedAt < limits.consumerTimeoutSeconds * 1000;
      if (mayBeBusy && !this.#memory.seen.includes(slot.token)) {
        if (this.seen.length < seenMax) this.seen.push(slot.token);
        return undefined;
      }
    }
    // A redriven job carries another token, and its payload still lies under the one that admitted it.
    const carried = job !== undefined && 'item' in job.payload && job.payload.item === slot.token;
    if (verdict === 'orphan' && !carried) await store.deletePayload(slot.token);
    telemetry.note({ metric: 'SlotsReclaimed', jobId: tokenJobId(slot.token), code: verdict, level: 'warn' });
    return slot;
  }

  /** True if the job has left flight by it, so that its slot is free. */
  async #repair(job: Job, queue: QueueView): Promise<boolean> {
    const { clock, limits, random } = this.#world;
    if (!isInFlight(job)) return false;
    const now = clock.now();
    this.#oldestReadyAt = Math.min(this.#oldestReadyAt, readyAt(job));
    const repair = repairOf(job, now, queue, limits);
    if (repair === 'resend-missing' || repair === 'resend-unsent') return this.#sendAgain(job, repair);
    if (repair === 'none') {
      if (isStale(job, now, limits)) await this.#markStale(job);
      return false;
    }
    const jitter = random.next();
    const moved = await moveJob(this.#world, job, (record) => {
      const fresh = isInFlight(record) && repairOf(record, clock.now(), queue, limits) === repair;
      return fresh ? eventOf(repair, clock.now(), jitter) : undefined;
    });
    if (moved.kind === 'refused') return false;
    this.#count(repair);
    if (repair === 'recover' && moved.job.state === 'retrying') noteRecovery(this.#world, moved.job);
    else noteEnd(this.#world, moved.job);
    return !isInFlight(moved.job);
  }

  /** The message first: if SQS does not take it, the record must not say that it was sent. One too many does no harm. */
  async #sendAgain(job: InFlightJob, repair: 'resend-missing' | 'resend-unsent'): Promise<false> {
    const { clock, limits, telemetry } = this.#world;
    if (await sendJob(this.#world, job)) {
      const cause = repair === 'resend-unsent' ? 'unsent' : 'missing';
      this.#count(repair);
      telemetry.note({
        metric: 'MessagesResent',
        jobId: job.id,
        code: cause,
        level: 'warn',
        detail: { resends: job.resends },
      });
      await moveJob(this.#world, job, (record) =>
        record.tenure === job.tenure && record.attempt === job.attempt
          ? { type: 'resend', now: clock.now(), cause }
          : undefined,
      );
    }
    if (isStale(job, clock.now(), limits)) await this.#markStale(job);
    return false;
  }

  #count(repair: Exclude<Repair, 'none'>): void {
    this.#repaired[repair] = (this.#repaired[repair] ?? 0) + 1;
  }

  async #markStale(job: Job): Promise<void> {
    this.#stale += 1;
    if (job.stale) return;
    const moved = await moveJob(this.#world, job, (record) =>
      isInFlight(record) && isStale(record, this.#world.clock.now(), this.#world.limits)
        ? { type: 'mark-stale', now: this.#world.clock.now() }
        : undefined,
    );
    if (moved.kind === 'moved') {
      this.#world.telemetry.note({ metric: 'JobsStale', jobId: job.id, code: job.state, level: 'warn' });
    }
  }

  async #finishDeal(control: Control, shards: readonly (Shard | undefined)[]): Promise<boolean> {
    if (!needsDeal(control, shards)) return true;
    return this.#guarded(async () => {
      const next = { ...control, version: control.version + 1 };
      if (!(await this.#world.slots.changeControl(next))) return false;
      return (await dealOut(this.#world, next)) === 'dealt';
    }, false);
  }

  /** One broken record or service must not hold up the rest; the run's report counts it, and the next run tries again. */
  async #guarded<T>(step: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await step();
    } catch {
      this.#failed += 1;
      return otherwise;
    }
  }
}

const eventOf = (repair: 'recover' | 'expire' | 'bury-never-started', now: number, jitter: number): JobEvent => {
  switch (repair) {
    case 'recover':
      return { type: 'recover', now, jitter };
    case 'expire':
      return { type: 'expire', now };
    case 'bury-never-started':
      return {
        type: 'bury',
        now,
        reason: {
          code: 'never-started',
          message: 'its message came back from the dead-letter queue again and again without a start',
        },
      };
  }
};
