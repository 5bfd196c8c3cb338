import { invokeConsumer } from './actors.ts';
import type { System } from './system.ts';
import type { Scheduled } from './timeline.ts';

const concurrency = 3;
const soonMs = 200;
const idleMs = 3_000;

/** The event source mapping: receives batches while it is switched on, and runs a few of them side by side. */
export class Mapping {
  readonly #system: System;
  #active = 0;
  #next: Scheduled | undefined;

  constructor(system: System) {
    this.#system = system;
    system.onSend = () => this.wake();
    this.wake();
  }

  /** Something may have become visible. */
  wake(): void {
    this.#pollAt(this.#system.timeline.now + 1 + this.#system.chance.below(soonMs));
  }

  #pollAt(time: number): void {
    if (this.#next !== undefined && !this.#next.cancelled && this.#next.at <= time) return;
    if (this.#next !== undefined) this.#next.cancelled = true;
    this.#next = this.#system.timeline.at(time, undefined, () => this.#poll(), true);
  }

  #poll(): void {
    this.#next = undefined;
    const { timeline, consumer, queue, plan, chance, faults, trace } = this.#system;
    if (consumer.current() !== 'running') {
      this.#pollAt(timeline.now + idleMs);
      return;
    }
    if (this.#active >= concurrency) return;
    const records = queue.receive(plan.batchSize);
    const next = records.length > 0 ? timeline.now + chance.below(soonMs) : queue.nextVisibleAt();
    if (next !== undefined) this.#pollAt(next);
    if (records.length === 0) return;
    if (faults.on && chance.next() < plan.weather.throttled) {
      trace.say('mapping', `is throttled with ${records.map((record) => record.messageId).join(', ')}`);
      return;
    }
    this.#active += 1;
    // A worker that ended never answers; its place is free when its time is over.
    const over = timeline.sleep(plan.limits.consumerTimeoutSeconds * 1000);
    const run = invokeConsumer(this.#system, records).catch((error: unknown) => this.#system.fail(error));
    void Promise.race([run, over]).then(() => {
      this.#active -= 1;
      this.wake();
    });
  }
}
