import { isInFlight, type Job } from '#core/job.ts';
import { judgeToken, type QueueView, type Repair, readyAt } from '#core/reconciliation.ts';
import { type Shard, type Slot, tokenJobId, tokensByShard } from '#core/slot.ts';
import type { RunMemory } from '#functions/ports.ts';
import { repairJob } from './repair.ts';
import type { World } from './world.ts';

/** Does one step; what it throws is counted and told, and the walk goes on with `otherwise`. */
export type Guard = <T>(step: string, run: () => Promise<T>, otherwise: T) => Promise<T>;

/** What a walk over all slots found and did. */
export interface Walk {
  looked: number;
  freed: number;
  stale: number;
  readonly repaired: Partial<Record<Exclude<Repair, 'none'>, number>>;
  /** Epoch milliseconds; infinity where nothing is in flight. */
  oldestReadyAt: number;
  /** Tokens of ended jobs that were left to the next run, for a consumer that may be about to free them. */
  readonly seen: string[];
  /** Where the next run goes on, and how many tokens this one did not reach. */
  nextShard: number;
  tokensLeft: number;
}

/** Tokens that a run remembers for the next, at most; beyond, an ended job's slot simply counts as seen one run later. */
const seenMax = 1_000;
const readAtOnce = 100;
const repairsAtOnce = 8;

/** Looks at every token in flight and its record, from where the last run stopped, as far as bound and time allow. */
export const walkSlots = async (
  world: World,
  shards: readonly (Shard | undefined)[],
  memory: RunMemory,
  queue: QueueView,
  until: number,
  guard: Guard,
): Promise<Walk> => {
  const walk: Walk = {
    looked: 0,
    freed: 0,
    stale: 0,
    repaired: {},
    oldestReadyAt: Number.POSITIVE_INFINITY,
    seen: [],
    nextShard: 0,
    tokensLeft: 0,
  };
  const tokens = tokensFrom(shards, memory.fromShard);
  for (let at = 0; at < tokens.length; at += readAtOnce) {
    if (walk.looked >= world.limits.reconcilerRecordsMax || world.clock.now() >= until) {
      walk.nextShard = tokens[at]?.shard ?? 0;
      walk.tokensLeft = tokens.length - at;
      break;
    }
    const some = tokens.slice(at, at + readAtOnce);
    const read = () => world.store.readMany(some.map((slot) => tokenJobId(slot.token)));
    const jobs = await guard('read-jobs', read, undefined);
    if (jobs === undefined) continue;
    walk.looked += some.length;
    const left: Slot[] = [];
    for (let from = 0; from < some.length; from += repairsAtOnce) {
      const judged = some.slice(from, from + repairsAtOnce).map((slot) => {
        const job = jobs.get(tokenJobId(slot.token));
        return guard('judge', () => judge(world, walk, memory, queue, slot, job), false);
      });
      for (const [i, isLeft] of (await Promise.all(judged)).entries()) {
        const slot = some[from + i];
        if (isLeft && slot !== undefined) left.push(slot);
      }
    }
    for (const [shard, freed] of tokensByShard(left)) {
      const free = async () => {
        await world.slots.free(shard, freed);
        walk.freed += freed.length;
      };
      await guard('free', free, undefined);
    }
  }
  return walk;
};

const tokensFrom = (shards: readonly (Shard | undefined)[], fromShard: number): readonly Slot[] => {
  const from = fromShard < shards.length ? fromShard : 0;
  const order = shards.map((_, i) => (from + i) % shards.length);
  return order.flatMap((shard) => (shards[shard]?.members ?? []).map((token) => ({ shard, token })));
};

/** True if the slot is to be freed. */
const judge = async (
  world: World,
  walk: Walk,
  memory: RunMemory,
  queue: QueueView,
  slot: Slot,
  job: Job | undefined,
): Promise<boolean> => {
  const { clock, limits, store, telemetry } = world;
  const verdict = judgeToken(slot, job, clock.now(), limits);
  if (verdict === 'young') return false;
  if (verdict === 'alive' && job !== undefined && isInFlight(job)) {
    walk.oldestReadyAt = Math.min(walk.oldestReadyAt, readyAt(job));
    const { repair, left, stale } = await repairJob(world, job, queue);
    if (repair !== undefined) walk.repaired[repair] = (walk.repaired[repair] ?? 0) + 1;
    if (stale) walk.stale += 1;
    return left;
  }
  if (verdict === 'ended' && job !== undefined) {
    // Its consumer may be about to free it with the rest of its batch; only what is left behind counts as reclaimed.
    const mayBeBusy = clock.now() - job.updatedAt < limits.consumerTimeoutSeconds * 1000;
    if (mayBeBusy && !memory.seen.includes(slot.token)) {
      if (walk.seen.length < seenMax) walk.seen.push(slot.token);
      return false;
    }
  }
  // A redriven job carries another token, and its payload still lies under the one that admitted it.
  const carried = job !== undefined && 'item' in job.payload && job.payload.item === slot.token;
  if (verdict === 'orphan' && !carried) await store.deletePayload(slot.token);
  telemetry.note({ metric: 'SlotsReclaimed', jobId: tokenJobId(slot.token), code: verdict, level: 'warn' });
  return true;
};
