import { refusedByView, shardsToTry } from '#core/admission.ts';
import { bounds, type Limits } from '#core/limits.ts';
import type { Slot } from '#core/slot.ts';
import type { Slots } from './slots.ts';

/** What instances asked of DynamoDB and SQS to find slots; the slots of one call that lie in one shard are one write. */
export interface Asked {
  takes: number;
  takesRefused: number;
  controlReads: number;
  shardReads: number;
  backlogReads: number;
}

/** At most two rounds, as the second is for a registry that has changed under the first. */
const roundsMax = 2;

/**
 * One execution environment of the API: what it remembers, and how it looks for a slot. The decisions are core's; the
 * order in which they are asked is that of `functions/flow/take-slot.ts`, and `test/plan/api-instance.test.ts` runs the
 * two side by side.
 */
export class ApiInstance {
  readonly #slots: Slots;
  readonly #limits: Limits;
  readonly #random: () => number;
  readonly #meter: { readonly counts: { readonly asked: Asked } };
  #seen: { at: number; state: 'room' | 'full' } | undefined;
  #withRoom: readonly number[] | undefined;
  #lean: number | undefined;
  #controlAt = Number.NEGATIVE_INFINITY;
  #backlogAt = Number.NEGATIVE_INFINITY;

  constructor(
    slots: Slots,
    limits: Limits,
    random: () => number,
    meter: { readonly counts: { readonly asked: Asked } },
  ) {
    this.#slots = slots;
    this.#limits = limits;
    this.#random = random;
    this.#meter = meter;
  }

  /** The slot, or undefined for "full". `now` in milliseconds. */
  take(token: string, now: number): Slot | undefined {
    if (!this.#isFresh(this.#backlogAt, now)) {
      this.#backlogAt = now;
      this.#meter.counts.asked.backlogReads += 1;
    }
    if (this.#controlAt < 0) this.#readControl(now);
    for (let round = 1; ; round += 1) {
      const shard = this.#find(token, now);
      if (typeof shard === 'number') {
        this.#lean = shard;
        return { shard, token };
      }
      if (round === roundsMax) return undefined;
      if (shard === 'none') {
        if (!this.#isFresh(this.#controlAt, now)) this.#readControl(now);
        return undefined;
      }
    }
  }

  #find(token: string, now: number): number | 'none' | 'room-elsewhere' {
    const { count } = this.#slots;
    const large = count > bounds.shardsTriedMax;
    const random = this.#random();
    const lean = this.#seen?.state === 'full' ? undefined : this.#lean;
    if (large && lean !== undefined) {
      if (this.#try(lean, token)) return lean;
      const others = (this.#withRoom ?? []).filter((shard) => shard !== lean);
      const other = others[Math.floor(random * others.length)];
      if (other !== undefined && this.#try(other, token)) return other;
      this.#lean = undefined;
    }
    if ((this.#seen?.state === 'full' || large) && !this.#isFresh(this.#seen?.at ?? Number.NEGATIVE_INFINITY, now))
      this.#look(now);
    if (refusedByView({ slots: this.#seen }, now, this.#limits) !== undefined) return 'none';
    const order = shardsToTry(count, random, this.#withRoom, large ? undefined : lean);
    const found = order.find((shard) => this.#try(shard, token));
    if (found !== undefined) return found;
    if (!large) {
      this.#seen = { at: now, state: 'full' };
      return 'none';
    }
    this.#look(now);
    return this.#seen?.state === 'room' ? 'room-elsewhere' : 'none';
  }

  #try(shard: number, token: string): boolean {
    const taken = this.#slots.take({ shard, token });
    if (!taken) this.#meter.counts.asked.takesRefused += 1;
    return taken;
  }

  #look(now: number): void {
    this.#readControl(now);
    this.#meter.counts.asked.shardReads += this.#slots.count;
    this.#withRoom = this.#slots.withRoom();
    this.#seen = { at: now, state: this.#withRoom.length === 0 ? 'full' : 'room' };
  }

  #readControl(now: number): void {
    this.#controlAt = now;
    this.#meter.counts.asked.controlReads += 1;
  }

  #isFresh(at: number, now: number): boolean {
    return now - at < this.#limits.viewMaxAgeSeconds * 1000;
  }
}
