import { mayTake } from '#core/admission.ts';
import { evenCaps, shardCount } from '#core/capacity.ts';
import type { Slot } from '#core/slot.ts';

/** The registry of slots as it stands after a deal: its shards with their caps, and what they answer. */
export class Slots {
  readonly #shards: readonly { index: number; open: boolean; cap: number; members: string[]; version: number }[];
  taken = 0;

  constructor(capacity: number) {
    this.#shards = evenCaps(capacity, shardCount(capacity)).map((cap, index) => ({
      index,
      open: true,
      cap,
      members: [],
      version: 1,
    }));
  }

  get count(): number {
    return this.#shards.length;
  }

  take({ shard, token }: Slot): boolean {
    const asked = this.#shards[shard];
    if (asked === undefined || !mayTake(asked, token)) return false;
    asked.members.push(token);
    this.taken += 1;
    return true;
  }

  free({ shard, token }: Slot): void {
    const members = this.#shards[shard]?.members ?? [];
    const at = members.indexOf(token);
    if (at < 0) return;
    members.splice(at, 1);
    this.taken -= 1;
  }

  withRoom(): readonly number[] {
    return this.#shards.flatMap(({ index, cap, members }) => (members.length < cap ? [index] : []));
  }
}

/** Taken or freed together, slots are one write a shard. */
export const writesFor = (slots: readonly Slot[]): number => new Set(slots.map(({ shard }) => shard)).size;
