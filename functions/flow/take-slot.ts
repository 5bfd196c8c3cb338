import { type AdmissionRefusal, refusedByView, shardsToTry } from '#core/admission.ts';
import { shardCount, tenantCap } from '#core/capacity.ts';
import type { Control } from '#core/control.ts';
import { tenantTag } from '#core/identity.ts';
import { bounds } from '#core/limits.ts';
import { makeToken, type Slot, tokenTag } from '#core/slot.ts';
import { createFirstShard } from './registry.ts';
import type { Room, SlotView } from './slot-view.ts';
import type { World } from './world.ts';

export type Taking =
  | { readonly kind: 'taken'; readonly slot: Slot }
  /** `roomSeen`: the shards that were tried are full, but a look at all has found others. */
  | { readonly kind: 'refused'; readonly why: AdmissionRefusal; readonly roomSeen?: boolean };

/** For whom a slot is taken: the job, and its tenant, whose share it counts against. */
export interface Claimant {
  readonly id: string;
  readonly scope: string;
}

const tokenFor = ({ random, clock }: World, { id, scope }: Claimant): string =>
  makeToken(id, tenantTag(scope) + random.hex(3), clock.now());

/** A registry that changed under the look is tried once more as it is now. */
const roundsMax = 2;

/**
 * Takes a slot for the next tenure of this job, or tells why none is to be had. Throws when the answer is unclear; the
 * token may then be in the registry, and the reconciler frees it once nobody can bring its record any more.
 */
export const takeSlot = async (world: World, view: SlotView, job: Claimant): Promise<Taking> => {
  const token = tokenFor(world, job);
  for (let round = 0; round < roundsMax; round += 1) {
    const taking = await tryShards(world, view, token);
    if (taking.kind === 'taken' || round === roundsMax - 1) return taking;
    if (!taking.roomSeen && !(await view.controlChanged())) return taking;
  }
  return { kind: 'refused', why: 'queue-full' };
};

const tryShards = async (world: World, view: SlotView, token: string): Promise<Taking> => {
  const control = await view.control();
  const count = shardCount(control.capacity);
  const large = count > bounds.shardsTriedMax;
  const random = world.random.next();
  // Where it just found room, and where it last saw some, an instance needs no look to try again: the shard decides.
  const lean = view.leansOn(count);
  if (large && lean !== undefined) {
    for (const shard of [lean, ...anotherOf(view.withRoom, lean, random)]) {
      if ((await take(world, control, { shard, token })) !== 'taken') continue;
      view.lean(shard);
      return { kind: 'taken', slot: { shard, token } };
    }
    view.lean(undefined);
  }
  await view.refreshIfOld(large);
  const seen = refusedByView({ slots: view.current.slots }, world.clock.now(), world.limits);
  if (seen !== undefined) return { kind: 'refused', why: seen };
  let quota = false;
  const open = view.withRoom ?? Array.from({ length: count }, (_, i) => i);
  const share = (shard: number) => tenantCap(control.capacity, world.limits.tenantShare, shard, tokenTag(token));
  const mine = world.limits.tenantShare < 1 && large ? open.filter((shard) => share(shard) !== 0) : view.withRoom;
  // All with room are others' by share.
  if (mine?.length === 0 && open.length > 0) return { kind: 'refused', why: 'tenant-quota' };
  for (const shard of shardsToTry(count, random, mine, large ? undefined : lean)) {
    const answer = await take(world, control, { shard, token });
    if (answer === 'taken') {
      view.lean(shard);
      return { kind: 'taken', slot: { shard, token } };
    }
    quota ||= answer === 'tenant-full';
    if (answer === 'closed') {
      view.mark('closed');
      return { kind: 'refused', why: 'intake-closed' };
    }
  }
  // There is room, but not for this tenant; to others that says nothing.
  if (quota) return { kind: 'refused', why: 'tenant-quota' };
  // In a large registry only some were tried, so only a look at all of them may say "full" to the next.
  if (!large) {
    view.mark('full');
    return { kind: 'refused', why: 'queue-full' };
  }
  await view.refresh();
  return { kind: 'refused', why: 'queue-full', roomSeen: view.current.slots?.state === 'room' };
};

/** One of these shards beside the one that has filled up, or none. */
const anotherOf = (withRoom: readonly number[] | undefined, lean: number, random: number): readonly number[] => {
  const others = (withRoom ?? []).filter((shard) => shard !== lean);
  return others.slice(Math.floor(random * others.length)).slice(0, 1);
};

/** A shard that is absent belongs to a registry that nobody has used yet. */
const take = async (
  world: World,
  control: Control,
  slot: Slot,
): Promise<'taken' | 'full' | 'closed' | 'tenant-full'> => {
  const tenantMax = tenantCap(control.capacity, world.limits.tenantShare, slot.shard, tokenTag(slot.token));
  const answer = await world.slots.take(slot, tenantMax);
  if (answer !== 'absent') return answer;
  await createFirstShard(world, control, slot.shard);
  const again = await world.slots.take(slot, tenantMax);
  return again === 'absent' ? 'full' : again;
};

/**
 * Takes a slot for each of several jobs: shard by shard, each in one write, and one by one where that did not succeed, so
 * that each refusal has the reason that a single submission would have got. In the order of the ids.
 */
export const takeSlots = async (
  world: World,
  view: SlotView,
  jobs: readonly Claimant[],
): Promise<readonly Taking[]> => {
  const tokens = jobs.map((job) => tokenFor(world, job));
  const takings: (Taking | undefined)[] = jobs.map(() => undefined);
  // A quota is counted token by token.
  if (world.limits.tenantShare < 1) return Promise.all(jobs.map((job) => takeSlot(world, view, job)));
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
  return Promise.all(jobs.map((job, i) => takings[i] ?? takeSlot(world, view, job)));
};

/** Writers of bulk begin at different shards. */
const shuffled = (rooms: readonly Room[], random: number): readonly Room[] => {
  const from = Math.floor(random * rooms.length);
  return [...rooms.slice(from), ...rooms.slice(0, from)];
};
