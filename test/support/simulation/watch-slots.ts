import type { Control } from '#core/control.ts';
import { isInFlight, type Job } from '#core/job.ts';
import type { Limits } from '#core/limits.ts';
import type { Shard } from '#core/slot.ts';
import { promise } from './violation.ts';
import { name } from './watch-jobs.ts';

/** Which capacity counts when, and who holds a slot: checked at each change of the registry. */
export class SlotWatch {
  /** By version. A change counts from its answer on; until then the older one may still count. */
  readonly #capacities = new Map<number, number>();
  readonly #open = new Map<number, boolean>();
  readonly #versionOf = new Map<string, number>();
  #answered = 1;
  #latest = 1;
  #members = new Set<string>();
  #shards: readonly Shard[] = [];

  constructor(limits: Limits) {
    this.#capacities.set(1, limits.capacity);
    this.#open.set(1, true);
  }

  controlChanged(by: string, control: Control): void {
    if (this.#capacities.has(control.version)) return;
    this.#capacities.set(control.version, control.capacity);
    this.#open.set(control.version, control.intake === 'open');
    this.#latest = Math.max(this.#latest, control.version);
    // A call that deals again stands for its first version, which asked for this capacity.
    if (!this.#versionOf.has(by)) this.#versionOf.set(by, control.version);
  }

  /** The call of this actor has answered: its capacity and intake are in force, or newer ones. */
  answered(by: string): void {
    this.#answered = Math.max(this.#answered, this.#versionOf.get(by) ?? 1);
    this.#mayLetIn();
  }

  /** Whether anybody comes or not: what the shards would let in now must be allowed. */
  #mayLetIn(): void {
    const [bound, taken] = [this.#bound, this.#members.size];
    const open = this.#shards.filter((shard) => shard.open);
    const room = open.reduce((sum, { cap, members }) => sum + Math.max(0, cap - members.length), 0);
    promise(
      'G1',
      room <= Math.max(0, bound - taken),
      () => `${room} may still come in at ${taken} taken, capacity ${bound}`,
    );
    promise('G9', room === 0 || this.#mayBeOpen, () => `${room} may still come in after the close was answered`);
  }

  /** The most that any capacity which may count now allows. */
  get #bound(): number {
    let most = 0;
    for (let version = this.#answered; version <= this.#latest; version += 1) {
      most = Math.max(most, this.#capacities.get(version) ?? 0);
    }
    return most;
  }

  get #mayBeOpen(): boolean {
    for (let version = this.#answered; version <= this.#latest; version += 1) {
      if (this.#open.get(version) === true) return true;
    }
    return false;
  }

  drained(): void {
    promise('G9', this.taken === 0, () => `drained was noted with ${this.taken} slots taken`);
  }

  /** After each change of the registry. */
  changed(shards: readonly Shard[], jobs: ReadonlyMap<string, Job>): void {
    const before = this.#members;
    const after = new Set(shards.flatMap((shard) => shard.members));
    const bound = this.#bound;
    for (const token of after) {
      if (before.has(token)) continue;
      promise('G9', this.#mayBeOpen, () => 'a slot was taken after the close was answered');
      promise('G1', after.size <= bound, () => `a slot was taken at ${before.size} taken, capacity ${bound}`);
    }
    for (const token of before) {
      if (after.has(token)) continue;
      const job = jobs.get(token.slice(0, 32));
      const held = job !== undefined && isInFlight(job) && job.slot.token === token;
      promise('G8', !held, () => `the slot of ${job && name(job)} was freed`);
    }
    this.#shards = shards;
    this.#members = after;
    this.#mayLetIn();
  }

  holds(job: Job): void {
    const held = !isInFlight(job) || this.#members.has(job.slot.token);
    promise('G8', held, () => `${name(job)} is in flight without its slot`);
  }

  get taken(): number {
    return this.#members.size;
  }
}
