import { deal, evenCaps, shardCount } from '#core/capacity.ts';
import type { Control } from '#core/control.ts';
import { Unavailable } from '#core/failure.ts';
import type { Shard } from '#core/slot.ts';
import type { World } from './world.ts';

type Registry = Pick<World, 'slots' | 'limits' | 'telemetry'>;

/** The control item; the first reader of a new registry makes it. */
export const readControl = async (world: Pick<World, 'slots' | 'limits'>): Promise<Control> =>
  (await world.slots.readControl()) ?? initialControl(world);

/** Every shard that ever existed under this control item, in order. */
export const readAllShards = (
  { slots }: Pick<World, 'slots'>,
  control: Control,
): Promise<readonly (Shard | undefined)[]> => slots.readShards(Array.from({ length: control.shards }, (_, i) => i));

/** Makes the first control item with the stage's capacity, if nobody has; then returns what is there. */
const initialControl = async ({ slots, limits }: Pick<World, 'slots' | 'limits'>): Promise<Control> => {
  const shards = shardCount(limits.capacity);
  await slots.createControl({ version: 1, capacity: limits.capacity, shards, intake: 'open', dealtVersion: 1 });
  const control = await slots.readControl();
  if (control === undefined) throw new Error('the control item is not there after it was written');
  return control;
};

/**
 * Creates one shard of a registry at its first version with its even share. Later versions create the shards that they
 * deal to by themselves, and one that is made here meanwhile is lowered by them like any other.
 */
export const createFirstShard = async (
  { slots }: Pick<World, 'slots'>,
  control: Control,
  index: number,
): Promise<void> => {
  if (control.version !== 1) return;
  const cap = evenCaps(control.capacity, control.shards)[index] ?? 0;
  await slots.createShard({ index, open: true, cap, version: 1 });
};

const changesMax = 5;

type Change = Partial<Pick<Control, 'capacity' | 'intake' | 'drain'>>;

/**
 * Gives the control item its next version with this change, and deals the caps out. Returns the control item in force
 * once every shard follows it: ours, or another's that overtook us and wants something else. Whoever overtook us may not
 * have dealt yet, or may have ended in between, so what it wants is dealt out again: no answer comes before its effect.
 */
export const changeRegistry = async (world: Registry, change: (control: Control) => Change): Promise<Control> => {
  let wish = change;
  for (let tries = 0; tries < changesMax; tries += 1) {
    const mine = await nextVersion(world, wish);
    if ((await dealOut(world, mine)) !== 'superseded') return mine;
    const now = await world.slots.readControl();
    if (now !== undefined && wantsOther(now, change(now))) wish = () => ({});
  }
  throw new Unavailable(`other changes overtook this one ${changesMax} times`);
};

const wantsOther = (now: Control, wanted: Change): boolean =>
  (wanted.capacity !== undefined && wanted.capacity !== now.capacity) ||
  (wanted.intake !== undefined && wanted.intake !== now.intake);

const nextVersion = async (world: Registry, change: (control: Control) => Change): Promise<Control> => {
  for (let tries = 0; tries < changesMax; tries += 1) {
    const before = await readControl(world);
    const changed = { ...before, ...change(before) };
    const next = {
      ...changed,
      version: before.version + 1,
      shards: Math.max(before.shards, shardCount(changed.capacity)),
    };
    if (await world.slots.changeControl(next)) return next;
  }
  throw new Unavailable(`the control item changed ${changesMax} times under one change`);
};

/**
 * Deals the caps of one version. Each deal has a version of its own, so no two ever raise under the same one.
 *
 *   1. lower every shard that is there to at most its share    no older deal can write to it any more
 *   2. the members alone exceed the capacity?                  every cap to 0, until the reconciler finds that they fit
 *   3. raise, and create what is absent                        Σ max(members, cap) ≤ capacity all along
 *
 * A shard that an older deal or a first user makes meanwhile is met in step 3, and the deal begins again under the next
 * version; nothing has been answered by then. A crash in between leaves `dealtVersion` behind, and the reconciler deals.
 */
export const dealOut = async (world: Registry, control: Control): Promise<'dealt' | 'waiting' | 'superseded'> => {
  const open = control.intake === 'open';
  const even = evenCaps(control.capacity, control.shards);
  const read = await readAllShards(world, control);
  const lower = (shard: Shard | undefined, i: number) =>
    shard && { cap: Math.min(shard.cap, even[i] ?? 0), open: open && shard.open };
  let shards = await writeAll(world, control, read, lower);
  if (shards === undefined) return 'superseded';
  let decision = deal(control.capacity, shards.map(load));
  if (decision.act === 'close-all') {
    shards = await writeAll(world, control, shards, () => ({ cap: 0, open }));
    if (shards === undefined) return 'superseded';
    decision = deal(control.capacity, shards.map(load));
  }
  if (decision.act === 'close-all') return 'waiting';
  const { caps } = decision;
  const raised = await writeAll(world, control, shards, (shard, i) => {
    const wanted = { cap: caps[i] ?? 0, open };
    return shard?.cap === wanted.cap && shard.open === open ? undefined : wanted;
  });
  if (raised === undefined) return 'superseded';
  await world.slots.markDealt(control.version);
  return 'dealt';
};

const load = (shard: Shard | undefined) => ({ members: shard?.members.length ?? 0, cap: shard?.cap ?? 0 });

/** True if a deal is unfinished and could be finished now, or would now let in more than the caps of the last one do. */
export const needsDeal = (control: Control, shards: readonly (Shard | undefined)[]): boolean => {
  if (control.dealtVersion !== control.version) return !isWaiting(control, shards);
  if (shards.some((shard) => shard !== undefined && shard.open !== (control.intake === 'open'))) return true;
  const caps = shards.map(
    (shard, i) => shard?.cap ?? (control.version === 1 ? (evenCaps(control.capacity, shards.length)[i] ?? 0) : 0),
  );
  const decision = deal(
    control.capacity,
    shards.map((shard, i) => ({ members: shard?.members.length ?? 0, cap: caps[i] ?? 0 })),
  );
  return decision.act === 'raise' && sum(decision.caps) > sum(caps);
};

/** Every shard is shut under this version, and what is in flight does not fit yet. */
const isWaiting = (control: Control, shards: readonly (Shard | undefined)[]): boolean => {
  const shut = shards.every((shard) => shard !== undefined && shard.version === control.version && shard.cap === 0);
  return shut && sum(shards.map((shard) => shard?.members.length ?? 0)) > control.capacity;
};

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

const writesAtOnce = 16;
const capRacesMax = 5;

type Wish = { readonly cap: number; readonly open: boolean } | undefined;

/** Writes every shard for which there is a wish; undefined when the deal was overtaken. */
const writeAll = async (
  world: Registry,
  control: Control,
  read: readonly (Shard | undefined)[],
  wish: (shard: Shard | undefined, index: number) => Wish,
): Promise<readonly (Shard | undefined)[] | undefined> => {
  const written: (Shard | undefined)[] = [];
  for (let from = 0; from < read.length; from += writesAtOnce) {
    const chunk = read.slice(from, from + writesAtOnce);
    const results = await Promise.all(chunk.map((shard, i) => writeOne(world, control, shard, from + i, wish)));
    if (results.includes('overtaken')) return undefined;
    written.push(...results.filter((result) => result !== 'overtaken'));
  }
  return written;
};

const writeOne = async (
  world: Registry,
  control: Control,
  read: Shard | undefined,
  index: number,
  wish: (shard: Shard | undefined, index: number) => Wish,
): Promise<Shard | undefined | 'overtaken'> => {
  let shard = read;
  for (let race = 0; race < capRacesMax; race += 1) {
    const wanted = wish(shard, index);
    if (wanted === undefined) return shard;
    const result = await world.slots.writeShard({ index, version: control.version, ...wanted }, shard);
    if (result.kind === 'written') return result.shard;
    // A shard that was absent when the deal began is no part of its sum.
    if (result.kind === 'superseded' || shard === undefined) return 'overtaken';
    shard = result.shard;
  }
  throw new Unavailable(`the cap of shard ${index} changed ${capRacesMax} times under one deal`);
};
