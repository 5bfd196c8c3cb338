import { queueTimeMs } from '#core/durations.ts';
import type { Job, QueuedJob, RetryingJob, RunningJob } from '#core/job.ts';
import type { EventOf } from '#core/job-event.ts';
import type { Limits } from '#core/limits.ts';
import type { Outcome } from '#core/outcome.ts';
import { wholeSeconds } from '#core/retry-policy.ts';
import type { Slot } from '#core/slot.ts';
import { transition } from '#core/transition.ts';
import type { EventQueue } from './event-queue.ts';
import { Line } from './line.ts';
import type { Meter } from './meter.ts';
import { type Slots, writesFor } from './slots.ts';

type WaitingJob = QueuedJob | RetryingJob;

/** Where a handler's time and its failures come from, and the jitter of a wait; each draws anew. */
interface Draws {
  readonly serviceSeconds: () => number;
  readonly fails: () => boolean;
  readonly jitter: () => number;
}

export interface ConsumerParts {
  readonly events: EventQueue;
  readonly slots: Slots;
  readonly meter: Meter;
  readonly limits: Limits;
  readonly draws: Draws;
  readonly overheadSeconds: number;
}

const owner = 'consumer';

/**
 * Queue, mapping and consumer. A delivery takes up to `batchSize` messages in the order in which they became visible, runs
 * them at once, frees the slots of those that ended when all have, and only then takes others. `consumerConcurrencyMax`
 * deliveries run at a time.
 */
export class Consumer {
  readonly #parts: ConsumerParts;
  readonly #ready = new Line<WaitingJob>();
  /** Jobs whose time in the queue is asked for. */
  readonly #watched = new Set<string>();
  #busy = 0;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
  }

  get watched(): number {
    return this.#watched.size;
  }

  /** A message has become visible. */
  offer(job: WaitingJob, watched: boolean): void {
    if (watched) this.#watched.add(job.id);
    this.#ready.push(job);
    this.#deliver();
  }

  #deliver(): void {
    const { batchSize, consumerConcurrencyMax } = this.#parts.limits;
    while (this.#busy < consumerConcurrencyMax && this.#ready.length > 0) this.#run(this.#ready.take(batchSize));
  }

  #run(batch: readonly WaitingJob[]): void {
    const { events, meter, slots } = this.#parts;
    const from = events.now;
    meter.passTime();
    this.#busy += 1;
    const over: Slot[] = [];
    const end = Math.max(...batch.map((job) => this.#attempt(job, over)));
    events.plan(end, () => {
      meter.passTime();
      this.#busy -= 1;
      for (const slot of over) slots.free(slot);
      meter.counts.batches += 1;
      meter.counts.batchSeconds += (end - from) / 1000;
      meter.counts.frees += writesFor(over);
      this.#deliver();
    });
  }

  /** Returns when it ends, in milliseconds. */
  #attempt(job: WaitingJob, over: Slot[]): number {
    const { events, meter, limits, draws, overheadSeconds } = this.#parts;
    const leaseUntil = events.now + limits.consumerTimeoutSeconds * 1000;
    const started = next(job, { type: 'start', now: events.now, owner, leaseUntil }, limits);
    if (started.state !== 'running') throw new Error(`a start made a job ${started.state}`);
    if (job.state === 'queued') meter.received += 1;
    if (this.#watched.delete(job.id)) meter.waits.push(queueTimeMs(started));
    meter.counts.starts += 1;
    const seconds = draws.serviceSeconds();
    const fails = draws.fails();
    const outcome = seconds > limits.jobTimeoutSeconds ? failed('timeout') : fails ? failed('retryable-error') : done;
    const end = events.now + (overheadSeconds + Math.min(seconds, limits.jobTimeoutSeconds)) * 1000;
    events.plan(end, () => this.#finish(started, outcome, over));
    return end;
  }

  #finish(job: RunningJob, outcome: Outcome, over: Slot[]): void {
    const { events, meter, limits, draws } = this.#parts;
    meter.passTime();
    const ended = next(job, { type: 'finish', now: events.now, owner, outcome, jitter: draws.jitter() }, limits);
    if (ended.state === 'retrying') {
      meter.counts.retries += 1;
      const seconds = wholeSeconds(ended.nextAttemptAt - events.now, limits.visibilitySeconds);
      events.plan(events.now + seconds * 1000, () => this.offer(ended, false));
      return;
    }
    meter.received -= 1;
    over.push(ended.slot);
    if (ended.state === 'succeeded') meter.counts.succeeded += 1;
    else meter.counts.dead += 1;
  }
}

const done: Outcome = { kind: 'done', result: '', external: false };
const failed = (code: 'timeout' | 'retryable-error'): Outcome => ({
  kind: 'retry',
  code,
  message: '',
  burnsAttempt: true,
});

const next = (job: Job, event: EventOf<'start'> | EventOf<'finish'>, limits: Limits): Job => {
  const step = transition(job, event, limits);
  if (!step.ok) throw new Error(`the simulation asked for what is refused: ${event.type}, ${step.refusal}`);
  return step.job;
};
