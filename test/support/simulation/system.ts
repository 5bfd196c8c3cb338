import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { makeRunOnce } from '#adapters/run-once.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import type { ReconcilerWorld } from '#flow/reconcile.ts';
import type { OperatorWorld, World } from '#flow/world.ts';
import type { Clock, Telemetry } from '#functions/ports.ts';
import { MemoryConsumerSwitch } from '../memory/consumer-switch.ts';
import { MemoryJobQueue } from '../memory/job-queue.ts';
import { MemoryJobStore } from '../memory/job-store.ts';
import { SeededRandom } from '../memory/random.ts';
import { MemoryReconcilerMemory } from '../memory/reconciler-memory.ts';
import { MemorySlotRegistry } from '../memory/slot-registry.ts';
import { Calls } from './calls.ts';
import { scriptedJobs } from './handlers.ts';
import type { Mutation, Role } from './mutation.ts';
import type { Plan } from './plan.ts';
import { Actor, hash32, Timeline } from './timeline.ts';
import { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import { Watch } from './watch.ts';
import { Faults, type PortName } from './weather.ts';

/** Powertools' class wants a client to hold; it never calls it. One for all, since it is slow to make. */
const runOnce = makeRunOnce(new DynamoDBClient({ region: 'eu-central-1' }));

export interface SystemOptions {
  readonly trace: boolean;
  readonly disabled: ReadonlySet<string>;
  readonly mutation: Mutation | undefined;
}

const switchSettlesMs = 3_000;

/** One simulated deployment: the doubles, the clockwork, and a world for each instance that runs our code. */
export class System {
  readonly plan: Plan;
  readonly mutation: Mutation | undefined;
  readonly timeline = new Timeline();
  readonly trace: Trace;
  readonly faults: Faults;
  readonly watch: Watch;
  /** What happened how often, over all metrics: shows what a run reached. */
  readonly counts = new Map<string, number>();
  readonly store: MemoryJobStore;
  readonly slots = new MemorySlotRegistry();
  readonly queue: MemoryJobQueue;
  readonly consumer: MemoryConsumerSwitch;
  readonly memory = new MemoryReconcilerMemory();
  /** For decisions of the surroundings: which instance, which message. */
  readonly chance: SeededRandom;
  /** The first promise that was broken. */
  broken: Violation | undefined;
  /** Called when a message may have come into the main queue. */
  onSend: () => void = () => undefined;
  readonly #calls: Calls;
  /** One stream for all tokens and owners, so that no two instances ever draw the same. */
  readonly #ids: SeededRandom;
  readonly #telemetry: Telemetry;
  readonly #made = new Map<string, number>();

  constructor(plan: Plan, { trace, disabled, mutation }: SystemOptions) {
    this.plan = plan;
    this.mutation = mutation;
    this.chance = new SeededRandom(hash32(`chance/${plan.seed}`));
    this.#ids = new SeededRandom(hash32(`ids/${plan.seed}`));
    this.trace = new Trace(this.timeline, trace);
    this.faults = new Faults(plan.weather, disabled);
    const trueTime: Clock = { now: () => this.timeline.now, wait: (ms) => this.timeline.sleep(ms) };
    this.store = new MemoryJobStore();
    this.queue = new MemoryJobQueue(trueTime, plan.limits, this.chance.fork());
    this.consumer = new MemoryConsumerSwitch(trueTime, switchSettlesMs);
    this.watch = new Watch(plan.limits, this.store, this.slots);
    this.#calls = new Calls(this.timeline, this.faults, this.trace, async (landed) => {
      await this.watch.afterCall(landed);
      if (landed.port === 'queue') this.onSend();
    });
    this.#telemetry = {
      note: ({ metric, code, jobId, detail }) => {
        const name = `${metric}:${code}`;
        this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
        this.trace.say('  note', `${name} ${jobId?.slice(0, 6) ?? ''} ${detail ? JSON.stringify(detail) : ''}`);
      },
      gauge: () => undefined,
    };
  }

  /** An error that no code of ours expected ends the run too. */
  fail(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.broken ??= error instanceof Violation ? error : new Violation('simulation', text);
  }

  /** A new instance; the same kinds of instances are numbered. */
  actor(kind: string): Actor {
    const count = (this.#made.get(kind) ?? 0) + 1;
    this.#made.set(kind, count);
    return new Actor(this.plan.seed, `${kind}-${count}`, this.plan.weather.skewMaxMs);
  }

  kill(actor: Actor, why: string): void {
    if (!actor.alive) return;
    actor.alive = false;
    this.trace.say(actor.name, `ends: ${why}`);
  }

  freeze(actor: Actor, ms: number): void {
    actor.frozenUntil = this.timeline.now + Math.round(ms);
    this.trace.say(actor.name, `stands still for ${Math.round(ms)} ms`);
  }

  clockOf(actor: Actor): Clock {
    return {
      now: () => this.timeline.now + actor.skewMs,
      wait: (ms, signal) =>
        new Promise((resolve) => {
          if (signal?.aborted) return resolve();
          const event = this.timeline.after(ms, actor, resolve);
          signal?.addEventListener('abort', () => {
            event.cancelled = true;
            resolve();
          });
        }),
    };
  }

  world(actor: Actor, role: Role): World {
    const draws = actor.fates.fork();
    const through = <P extends object>(name: PortName, port: P) => this.#calls.through(actor, name, port);
    const world: World = {
      store: through('store', this.store),
      slots: through('slots', this.slots),
      queue: through('queue', this.queue),
      clock: this.clockOf(actor),
      random: { next: () => draws.next(), hex: (bytes) => this.#ids.hex(bytes) },
      telemetry: this.#telemetry,
      limits: this.plan.limits,
    };
    return this.mutation?.alter?.(world, role, { through, store: this.store, slots: this.slots }) ?? world;
  }

  operatorWorld(actor: Actor): OperatorWorld {
    return {
      ...this.world(actor, 'operator'),
      consumer: this.#calls.through(actor, 'consumer', this.consumer),
    };
  }

  reconcilerWorld(actor: Actor): ReconcilerWorld {
    return {
      ...this.world(actor, 'reconciler'),
      consumer: this.#calls.through(actor, 'consumer', this.consumer),
      memory: this.#calls.through(actor, 'memory', this.memory),
    };
  }

  consumerWorld(actor: Actor): ConsumerWorld {
    const world = this.world(actor, 'consumer');
    const registry = scriptedJobs({
      began: (run) => {
        this.trace.say(actor.name, `runs ${run.id.slice(0, 6)}, start ${run.starts}: ${run.behaviour}`);
        // In here a handler runs, which would take a thrown violation for its own error.
        try {
          this.watch.began(actor, run);
        } catch (error) {
          this.fail(error);
        }
      },
      ended: (id) => this.watch.ended(actor, id),
      kill: (id) => this.kill(actor, `killed by ${id.slice(0, 6)}`),
      wait: (ms) => world.clock.wait(ms),
    });
    return { ...world, registry, runOnce, log: () => ({ info: () => undefined, warn: () => undefined }) };
  }
}
