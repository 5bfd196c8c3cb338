import { type AdmissionRefusal, refusedByView, shardsToTry } from '#core/admission.ts';
import { shardCount } from '#core/capacity.ts';
import type { Control } from '#core/control.ts';
import { bounds } from '#core/limits.ts';
import { makeToken, type Slot } from '#core/slot.ts';
import { createFirstShard } from './registry.ts';
import type { Room, SlotView } from './slot-view.ts';
import type { World } from './world.ts';

export type Taking =
  | { readonly kind: 'taken'; readonly slot: Slot }
  | { readonly kind: 'refused'; readonly why: AdmissionRefusal };

/** A registry that changed under the look is tried once more as it is now. */
const roundsMax = 2;

/**
 * Takes a slot for the next tenure of this job, or tells why none is to be had. Throws when the answer is unclear; the
 * token may then be in the registry, and the reconciler frees it once nobody can bring its record any more.
 */
export const takeSlot = async (world: World, view: SlotView, id: string): Promise<Taking> => {
  const token = makeToken(id, world.random.hex(6), world.clock.now());
  for (let round = 0; round < roundsMax; round += 1) {
    const taking = await tryShards(world, view, token);
    if (taking.kind === 'taken' || round === roundsMax - 1) return taking;
    if (!(await view.controlChanged())) return taking;
  }
  return { kind: 'refused', why: 'queue-full' };
};

const tryShards = async (world: World, view: SlotView, token: string): Promise<Taking> => {
  const control = await view.control();
  const count = shardCount(control.capacity);
  await view.refreshIfOld(count > bounds.shardsTriedMax);
  const seen = refusedByView({ slots: view.current.slots }, world.clock.now(), world.limits);
  if (seen !== undefined) return { kind: 'refused', why: seen };
  for (const shard of shardsToTry(count, world.random.next(), view.withRoom)) {
    const answer = await take(world, control, { shard, token });
    if (answer === 'taken') return { kind: 'taken', slot: { shard, token } };
    if (answer === 'closed') {
      view.mark('closed');
      return { kind: 'refused', why: 'intake-closed' };
    }
  }
  // In a large registry only some were tried, so only a look at all of them may say "full" to the next.
  if (count > bounds.shardsTriedMax) await view.refresh();
  else view.mark('full');
  return { kind: 'refused', why: 'queue-full' };
};

/** A shard that is absent belongs to a registry that nobody has used yet. */
const take = async (world: World, control: Control, slot: Slot): Promise<'taken' | 'full' | 'closed'> => {
  const answer = await world.slots.take(slot);
  if (answer !== 'absent') return answer;
  await createFirstShard(world, control, slot.shard);
  const again = await world.slots.take(slot);
  return again === 'absent' ? 'full' : again;
};

/**
 * Takes a slot for each of several jobs: shard by shard, each in one write, and one by one where that did not succeed, so
 * that each refusal has the reason that a single submission would have got. In the order of the ids.
 */
export const takeSlots = async (world: World, view: SlotView, ids: readonly string[]): Promise<readonly Taking[]> => {
  const now = world.clock.now();
  const tokens = ids.map((id) => makeToken(id, world.random.hex(6), now));
  const takings: (Taking | undefined)[] = ids.map(() => undefined);
  let next = 0;
  for (const { index: shard, cap, room } of shuffled(await view.lookForRoom(), world.random.next())) {
    const some = tokens.slice(next, next + room);
    if (some.length === 0) break;
    if ((await world.slots.takeMany(shard, some, cap)) !== 'taken') continue;
    for (const token of some) {
      takings[next] = { kind: 'taken', slot: { shard, token } };
      next += 1;
    }
  }
  return Promise.all(takings.map((taking, i) => taking ?? takeSlot(world, view, ids[i] ?? '')));
};

/** Writers of bulk begin at different shards. */
const shuffled = (rooms: readonly Room[], random: number): readonly Room[] => {
  const from = Math.floor(random * rooms.length);
  return [...rooms.slice(from), ...rooms.slice(0, from)];
};
