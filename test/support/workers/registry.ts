import { evenCaps, shardCount } from '#core/capacity.ts';
import type { SlotRegistry } from '#functions/ports.ts';

/** A registry as it is after its first use: every shard of this capacity is there, empty and open. */
export const openRegistry = async (slots: SlotRegistry, capacity: number): Promise<void> => {
  const shards = shardCount(capacity);
  await slots.createControl({ version: 1, capacity, shards, intake: 'open', dealtVersion: 1 });
  const caps = evenCaps(capacity, shards);
  for (const [index, cap] of caps.entries()) await slots.createShard({ index, open: true, cap, version: 1 });
};
