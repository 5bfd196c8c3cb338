import * as fc from 'fast-check';
import { deal, evenCaps, heldAtMost, type ShardLoad, shardCount } from '#core/capacity.ts';

/** The registry as a model: only what the caps decide. A take comes in only while members < cap, as the store asks. */
export class Registry {
  readonly shards: { members: number; cap: number }[];
  readonly capacity: number;
  /** Takes that came in while the total was at or above the new capacity. */
  tooMany = 0;
  /** Moments at which the shards could hold more than the new capacity although it is in force. */
  broken = 0;

  constructor(loads: readonly ShardLoad[], capacity: number) {
    this.shards = loads.map((s) => ({ ...s }));
    this.capacity = capacity;
  }

  get total(): number {
    return this.shards.reduce((sum, s) => sum + s.members, 0);
  }

  /** From here on the new capacity is in force: what was counted so far does not matter. */
  inForce(): void {
    this.tooMany = 0;
    this.broken = 0;
    this.look();
  }

  private look(): void {
    const holds = heldAtMost(this.shards) <= this.capacity || this.shards.every((s) => s.cap === 0);
    if (!holds) this.broken += 1;
  }

  perform(op: Op): void {
    const shard = this.shards[op.shard % this.shards.length];
    if (shard === undefined) return;
    if (op.kind === 'free') shard.members = Math.max(0, shard.members - op.times);
    for (let n = 0; op.kind === 'take' && n < op.times && shard.members < shard.cap; n += 1) {
      if (this.total >= this.capacity) this.tooMany += 1;
      shard.members += 1;
    }
    this.look();
  }

  /** One conditional write of a cap; returns the load as the store would, members and the new cap. */
  write(index: number, cap: number): ShardLoad {
    const shard = this.shards[index];
    if (shard === undefined) throw new RangeError(`no shard ${index}`);
    shard.cap = cap;
    this.look();
    return { ...shard };
  }
}

export interface Op {
  readonly kind: 'take' | 'free';
  readonly shard: number;
  readonly times: number;
}

const anyOps: fc.Arbitrary<readonly Op[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('take' as const, 'free' as const),
    shard: fc.nat({ max: 7 }),
    times: fc.integer({ min: 1, max: 40 }),
  }),
  { maxLength: 4 },
);

/** A change of capacity under load: what was there, the order of the writes, and what happens between them. */
export interface Change {
  readonly capacity: number;
  readonly loads: readonly ShardLoad[];
  readonly lowering: readonly number[];
  readonly raising: readonly number[];
  readonly between: readonly (readonly Op[])[];
}

export const anyChange: fc.Arbitrary<Change> = fc
  .record({ capacity: fc.integer({ min: 1, max: 200 }), extraShards: fc.nat({ max: 2 }) })
  .chain(({ capacity, extraShards }) => {
    const count = shardCount(capacity) + extraShards;
    const order = fc.shuffledSubarray(
      Array.from({ length: count }, (_, i) => i),
      { minLength: count },
    );
    return fc.record({
      capacity: fc.constant(capacity),
      loads: fc.array(fc.record({ members: fc.nat({ max: 32 }), cap: fc.nat({ max: 32 }) }), {
        minLength: count,
        maxLength: count,
      }),
      lowering: order,
      raising: order,
      between: fc.array(anyOps, { minLength: 3 * count + 3, maxLength: 3 * count + 3 }),
    });
  });

/** Sets every cap, in the given order, with `others` before each write. Returns what the writes returned. */
const writeCaps = (
  registry: Registry,
  order: readonly number[],
  capOf: (index: number) => number,
  others: () => void,
): readonly ShardLoad[] => {
  const loads: ShardLoad[] = registry.shards.map((s) => ({ ...s }));
  for (const index of order) {
    others();
    loads[index] = registry.write(index, capOf(index));
  }
  return loads;
};

/**
 * The two phases as the flow performs them: lower every cap to at most its even share; if the registry could still hold
 * more than the capacity, all caps to 0; then what `deal` says. Nothing is counted before the lowering is over, since
 * the new capacity is in force only once the call has answered.
 */
export const dealOut = (registry: Registry, change: Omit<Change, 'loads' | 'between'>, others: () => void): void => {
  const even = evenCaps(change.capacity, registry.shards.length);
  const lowered = (i: number) => Math.min(registry.shards[i]?.cap ?? 0, even[i] ?? 0);
  let loads = writeCaps(registry, change.lowering, lowered, others);
  if (heldAtMost(loads) > change.capacity) loads = writeCaps(registry, change.raising, () => 0, others);
  registry.inForce();
  const dealt = deal(change.capacity, loads);
  if (dealt.act === 'raise') writeCaps(registry, change.raising, (i) => dealt.caps[i] ?? 0, others);
};
