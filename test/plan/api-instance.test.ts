import { describe, expect, test } from 'vitest';
import { evenCaps, shardCount } from '#core/capacity.ts';
import { productionLimits } from '#core/limits.ts';
import { SlotView } from '#flow/slot-view.ts';
import { takeSlot } from '#flow/take-slot.ts';
import type { World } from '#flow/world.ts';
import { SeededRandom } from '#test/support/memory/random.ts';
import { MemorySlotRegistry } from '#test/support/memory/slot-registry.ts';
import { ApiInstance } from '../../operator/plan/api-instance.ts';
import { Slots } from '../../operator/plan/slots.ts';

/** A registry of this capacity, all of its shards there, and some instances of the real flow before it. */
const realOf = async (capacity: number, instances: number, random: () => number, clock: { now: number }) => {
  const slots = new MemorySlotRegistry();
  const shards = shardCount(capacity);
  await slots.createControl({ version: 1, capacity, shards, intake: 'open', dealtVersion: 1 });
  for (const [index, cap] of evenCaps(capacity, shards).entries()) {
    await slots.createShard({ index, open: true, cap, version: 1 });
  }
  const world = {
    slots,
    limits: { ...productionLimits, capacity },
    random: { next: random, hex: (bytes: number) => '0'.repeat(2 * bytes) },
    clock: { now: () => clock.now, wait: async () => undefined },
  } as unknown as World;
  return { slots, world, views: Array.from({ length: instances }, () => new SlotView(world)) };
};

describe('an instance of the plan takes and is refused as the flow is', () => {
  test.for([
    { capacity: 20, instances: 1 },
    { capacity: 200, instances: 3 },
    { capacity: 320, instances: 4 },
    { capacity: 1_000, instances: 7 },
  ])('$capacity slots, $instances instances', async ({ capacity, instances }) => {
    const choices = new SeededRandom(capacity);
    // Both draw the same numbers, each from a generator of its own.
    const [theirs, ours] = [new SeededRandom(1), new SeededRandom(1)];
    const clock = { now: 1_000_000 };
    const { slots, world, views } = await realOf(capacity, instances, () => theirs.next(), clock);
    const simulated = new Slots(capacity);
    const asked = { takes: 0, takesRefused: 0, controlReads: 0, shardReads: 0, backlogReads: 0 };
    const planned = Array.from(
      { length: instances },
      () => new ApiInstance(simulated, world.limits, () => ours.next(), { counts: { asked } }),
    );
    const taken: { shard: number; token: string }[] = [];
    let refused = 0;
    for (let i = 0; i < 6_000; i += 1) {
      clock.now += choices.below(40);
      // It fills up, hovers about full, and empties again.
      const leaves = i > 5_000 ? 0.7 : 0.45;
      const gone = taken.length > 0 && choices.next() < leaves ? taken.splice(choices.below(taken.length), 1) : [];
      for (const slot of gone) {
        await slots.free(slot.shard, [slot.token]);
        simulated.free(slot);
      }
      const which = choices.below(instances);
      const id = i.toString(16).padStart(32, '0');
      const view = views[which];
      if (view === undefined) throw new RangeError('no such instance');
      const real = await takeSlot(world, view, { id, scope: 'a' });
      const token = real.kind === 'taken' ? real.slot.token : 'refused';
      const plan = planned[which]?.take(token, clock.now);
      expect(plan?.shard, `step ${i}`).toBe(real.kind === 'taken' ? real.slot.shard : undefined);
      if (real.kind === 'taken') taken.push(real.slot);
      else refused += 1;
    }
    expect(refused).toBeGreaterThan(50);
    expect(simulated.taken).toBe(taken.length);
  });
});
