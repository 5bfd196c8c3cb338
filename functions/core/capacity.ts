import { bounds } from './limits.ts';

/** Members and cap of one shard, by index. */
export interface ShardLoad {
  readonly members: number;
  readonly cap: number;
}

/** How many shards a capacity is spread over; a shard holds at most 32 tokens, so that it stays one write unit. */
export const shardCount = (capacity: number): number => Math.max(1, Math.ceil(capacity / bounds.slotsPerShard));

/** The caps of an idle registry: as even as whole numbers allow, and 0 for shards beyond the count. */
export const evenCaps = (capacity: number, shards: number): readonly number[] => {
  const used = shardCount(capacity);
  const base = Math.floor(capacity / used);
  const extra = capacity % used;
  return Array.from({ length: shards }, (_, i) => (i >= used ? 0 : base + (i < extra ? 1 : 0)));
};

/** The most that the shards can hold from now on without another raise. */
export const heldAtMost = (shards: readonly ShardLoad[]): number =>
  shards.reduce((sum, s) => sum + Math.max(s.members, s.cap), 0);

/**
 * A tenant's share of the capacity, spread like it: what one tenant may hold on one shard. At least one in all, so that a
 * small share never shuts a tenant out. Tenants begin at different shards, by their tags, so that together they can use
 * them all. A share of 1 or more is no quota.
 */
export const tenantCap = (capacity: number, share: number, shard: number, tag: string): number | undefined => {
  if (share >= 1) return undefined;
  const shards = shardCount(capacity);
  const whole = Math.max(1, Math.floor(capacity * share));
  const place = (shard + Number.parseInt(tag, 16)) % shards;
  return Math.floor(whole / shards) + (place < whole % shards ? 1 : 0);
};

export type Deal =
  /** Raising to these caps keeps Σ max(members, cap) ≤ capacity. */
  | { readonly act: 'raise'; readonly caps: readonly number[] }
  /** The load does not fit yet: nobody gets in until it does. */
  | { readonly act: 'close-all' };

/**
 * The step after every cap was lowered to at most its even share. `shards` are the loads that the lowering writes
 * returned, so `max(members, cap)` bounds each from above, whoever came in meanwhile. What the bounds leave of the
 * capacity is dealt to shards below their share. No cap is ever lowered here: the room may have been filled since.
 */
export const deal = (capacity: number, shards: readonly ShardLoad[]): Deal => {
  let left = capacity - heldAtMost(shards);
  if (left < 0) return { act: 'close-all' };
  const even = evenCaps(capacity, shards.length);
  const caps = shards.map((shard, i) => {
    const share = even[i] ?? 0;
    const held = Math.max(shard.members, shard.cap);
    if (share <= held) return Math.max(share, shard.cap);
    const more = Math.min(left, share - held);
    left -= more;
    return held + more;
  });
  return { act: 'raise', caps };
};
