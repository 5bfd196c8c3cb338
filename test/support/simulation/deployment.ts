import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSBatchResponse } from 'aws-lambda';
import * as z from 'zod/mini';
import { makeRunOnce } from '#adapters/run-once.ts';
import { isInFlight, type Job } from '#core/job.ts';
import { type Limits, localLimits } from '#core/limits.ts';
import { checkSubmission } from '#core/submission.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import { reconcile } from '#flow/reconcile.ts';
import { SlotView } from '#flow/slot-view.ts';
import { type Submitted, submit } from '#flow/submit.ts';
import type { World } from '#flow/world.ts';
import { consumeBatch } from '#functions/consumer.ts';
import { defineJob, type JobContext, type JobDone, jobRegistry } from '#functions/jobs/define-job.ts';
import { VirtualClock } from '../memory/clock.ts';
import { MemoryConsumerSwitch } from '../memory/consumer-switch.ts';
import { type Call, type Disturbance, withFaults } from '../memory/faults.ts';
import { MemoryJobQueue } from '../memory/job-queue.ts';
import { MemoryJobStore } from '../memory/job-store.ts';
import { SeededRandom } from '../memory/random.ts';
import { MemoryReconcilerMemory } from '../memory/reconciler-memory.ts';
import { MemorySlotRegistry } from '../memory/slot-registry.ts';
import { TelemetryRecorder } from '../memory/telemetry.ts';
import { eventOf } from './sqs-event.ts';

type Run = (context: JobContext<unknown>) => JobDone | Promise<JobDone>;

/** One process that consumes. Once it has ended, none of its calls is made or comes back. */
export interface Worker {
  ended: boolean;
  readonly world: ConsumerWorld;
}

const runOnce = makeRunOnce(new DynamoDBClient({ region: 'eu-central-1' }));
const forEver = new Promise<never>(() => undefined);
const noLog = { info: () => undefined, warn: () => undefined };

/** A whole deployment on doubles, moved by hand: for single stories, where the simulation draws thousands. */
export class Deployment {
  readonly clock = new VirtualClock();
  readonly limits: Limits;
  readonly store = new MemoryJobStore();
  readonly slots = new MemorySlotRegistry();
  readonly queue: MemoryJobQueue;
  readonly consumer = new MemoryConsumerSwitch(this.clock);
  readonly memory = new MemoryReconcilerMemory();
  readonly telemetry = new TelemetryRecorder();
  /** What happens to the calls of everyone; a test sets it for as long as it wants. */
  disturb: (port: string, call: Call) => Disturbance | undefined = () => undefined;
  readonly #random = new SeededRandom(1);
  readonly #registry: ConsumerWorld['registry'];
  #view: SlotView;

  constructor(run: Run, limits: Partial<Limits> = {}) {
    this.limits = { ...localLimits, ...limits };
    this.queue = new MemoryJobQueue(this.clock, this.limits);
    this.#registry = jobRegistry(defineJob({ type: 'story', payload: z.unknown(), timeoutSeconds: 30, run }));
    this.#view = new SlotView(this.world());
  }

  /** The next submission meets an instance of the API that knows nothing yet. */
  replaceApi(): void {
    this.#view = new SlotView(this.world());
  }

  world(): World {
    const faulty = <P extends object>(name: string, port: P) => withFaults(port, (call) => this.disturb(name, call));
    const { clock, telemetry, limits } = this;
    const [store, slots] = [faulty('store', this.store), faulty('slots', this.slots)];
    return { store, slots, queue: faulty('queue', this.queue), clock, random: this.#random, telemetry, limits };
  }

  /** `clock`: a time of its own, for a worker that stands still while the others go on. */
  worker(clock: VirtualClock = this.clock): Worker {
    const world = this.world();
    const gone = (): Disturbance | undefined => (worker.ended ? { before: () => forEver } : undefined);
    const worker: Worker = {
      ended: false,
      world: {
        ...world,
        clock,
        store: withFaults(world.store, gone),
        slots: withFaults(world.slots, gone),
        queue: withFaults(world.queue, gone),
        registry: this.#registry,
        runOnce,
        log: () => noLog,
      },
    };
    return worker;
  }

  submit(key: string, payload: unknown = {}): Promise<Submitted> {
    const checked = checkSubmission(
      {
        scope: '123456789012/AROASTORY',
        contentType: 'application/json',
        idempotencyKey: key,
        body: JSON.stringify({ type: 'story', payload }),
      },
      (type) => this.#registry.get(type)?.check,
    );
    if (!checked.ok) throw new TypeError(checked.problem.detail);
    return submit(this.world(), this.#view, checked.value, this.clock.now());
  }

  /** Submits and expects `202`. Returns the id. */
  async accept(key: string, payload: unknown = {}): Promise<string> {
    const submitted = await this.submit(key, payload);
    if (submitted.kind !== 'accepted') throw new Error(`${key} was not accepted: ${JSON.stringify(submitted)}`);
    return submitted.job.id;
  }

  /**
   * One invocation with what is visible now, up to `max`. `spendMs` is the time that passes in it; a worker that ended in
   * it, or is not done by then, leaves the messages to their visibility. Returns the ids that were reported as failed.
   */
  async deliver({
    worker = this.worker(),
    max = 10,
    spendMs = 0,
    remainingMs = this.#fullMs,
  } = {}): Promise<readonly string[] | undefined> {
    const records = this.queue.receive(max);
    if (records.length === 0) return [];
    const until = this.clock.now() + remainingMs;
    let response: SQSBatchResponse | undefined;
    // Not awaited: a worker that has ended never comes back.
    void consumeBatch(worker.world, eventOf(records), () => until - this.clock.now()).then((done) => {
      if (worker.ended) return;
      response = done;
      const failed = new Set(done.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      for (const { messageId, receipt } of records) if (!failed.has(messageId)) this.queue.acknowledge(receipt);
    });
    await this.clock.advance(spendMs);
    return response?.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  }

  get #fullMs(): number {
    return this.limits.consumerTimeoutSeconds * 1000;
  }

  async reconcile(): Promise<void> {
    const world = { ...this.world(), consumer: this.consumer, memory: this.memory };
    const until = this.clock.now() + this.limits.reconcilerTimeoutSeconds * 1000;
    await reconcile(world, () => until - this.clock.now());
  }

  /** Minutes pass, each with deliveries and a run of the reconciler, until no job is in flight and no message waits. */
  async settle(worker: () => Worker = () => this.worker(), minutes = 60): Promise<void> {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let second = 0; second < 60; second += 4) {
        await this.deliver({ worker: worker(), spendMs: this.#fullMs });
        await this.clock.advance(1_000);
      }
      await this.reconcile();
      const open = this.store.jobs().filter(isInFlight).length + this.queue.messages().length;
      if (open === 0 && this.slots.tokens().length === 0) return;
    }
  }

  async job(id: string): Promise<Job> {
    const job = await this.store.read(id);
    if (job === undefined) throw new Error(`there is no job ${id}`);
    return job;
  }

  effects(id: string): number {
    return Number(this.store.item('ledger', { job: id })?.['effects'] ?? 0);
  }
}
