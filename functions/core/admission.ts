import { bounds, type Limits } from './limits.ts';
import type { Shard } from './slot.ts';

/** How a shard answers "may this token come in?": the specification that the store's conditional write is held to. */
export const mayTake = (shard: Shard, token: string): boolean =>
  shard.members.includes(token) || (shard.open && shard.members.length < shard.cap);

/** What an instance remembers of the registry and the queue, each with the time of the look (epoch ms). */
export interface AdmissionView {
  readonly slots?: { readonly at: number; readonly state: 'room' | 'full' | 'closed' } | undefined;
  readonly backlog?: { readonly at: number; readonly messages: number; readonly capacity: number } | undefined;
}

export type AdmissionRefusal = 'queue-full' | 'intake-closed' | 'tenant-quota';

/**
 * What a view may refuse by itself, without a write. A view can only refuse; letting in is the shard's own conditional
 * write. So an old view costs a look, never the bound.
 */
export const refusedByView = (view: AdmissionView, now: number, limits: Limits): AdmissionRefusal | undefined => {
  const fresh = (at: number) => now - at < limits.viewMaxAgeSeconds * 1000 && at <= now;
  if (view.slots && fresh(view.slots.at) && view.slots.state === 'closed') return 'intake-closed';
  if (view.slots && fresh(view.slots.at) && view.slots.state === 'full') return 'queue-full';
  if (view.backlog && fresh(view.backlog.at) && backlogExceeds(view.backlog)) return 'queue-full';
  return undefined;
};

/** Jobs in flight have a message each, so a backlog up to the capacity is normal; above it, strays or others' sends. */
export const backlogExceeds = (backlog: { readonly messages: number; readonly capacity: number }): boolean =>
  backlog.messages > backlog.capacity;

/**
 * The shards to try, in order: all of a small registry, of a large one a few, preferring those that a view showed with
 * room. First comes `lean`, where this instance last found room: jobs that lie in one shard are freed in one write when
 * their batch ends. The others follow from a random start, so that writers spread. `random` in [0, 1).
 */
export const shardsToTry = (
  count: number,
  random: number,
  withRoom: readonly number[] | undefined,
  lean?: number | undefined,
): readonly number[] => {
  const pool =
    withRoom !== undefined && count > bounds.shardsTriedMax ? withRoom : Array.from({ length: count }, (_, i) => i);
  const from = Math.floor(random * pool.length);
  const order = Array.from({ length: pool.length }, (_, i) => pool[(from + i) % pool.length] ?? 0);
  const first = lean !== undefined && order.includes(lean) ? [lean] : [];
  return [...first, ...order.filter((shard) => shard !== first[0])].slice(0, bounds.shardsTriedMax);
};
