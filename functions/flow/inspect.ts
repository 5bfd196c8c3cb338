import type { Control, Drain } from '#core/control.ts';
import { isJobId } from '#core/identity.ts';
import { isGone, type Job } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { tokenJobId } from '#core/slot.ts';
import type { Backlog, ConsumerState } from '#functions/ports.ts';
import { readAllShards, readControl } from './registry.ts';
import type { OperatorWorld, World } from './world.ts';

export interface Status {
  readonly intake: Control['intake'];
  readonly capacity: number;
  /** `total`: slots taken, read consistently. The split is null beyond `bounds.statusSplitMax`. */
  readonly inFlight: {
    readonly total: number;
    readonly queued: number | null;
    readonly running: number | null;
    readonly retrying: number | null;
  };
  readonly backlog: Backlog;
  readonly dead: number;
  readonly consumer: ConsumerState;
  /** While draining, and afterwards until the intake is changed again. `until` is ISO 8601. */
  readonly drain?:
    | { readonly left: number; readonly until?: string; readonly waitingFor?: 'consumer-paused' }
    | undefined;
}

/** The system as it stands. Costs two reads of the registry, one of each count, and up to 256 records. */
export const status = async (world: OperatorWorld): Promise<Status> => {
  const [registry, backlog, dead, consumer] = await Promise.all([
    readRegistry(world),
    world.queue.look(),
    world.store.countDead(bounds.deadCountMax),
    world.consumer.state(),
  ]);
  const { control, tokens } = registry;
  const split = tokens.length <= bounds.statusSplitMax ? await countStates(world, tokens) : undefined;
  return {
    intake: control.intake,
    capacity: control.capacity,
    inFlight: {
      total: tokens.length,
      queued: split?.queued ?? null,
      running: split?.running ?? null,
      retrying: split?.retrying ?? null,
    },
    backlog,
    dead,
    consumer,
    ...(control.drain && { drain: drainStatus(control, control.drain, tokens.length, consumer) }),
  };
};

const drainStatus = (control: Control, drain: Drain, left: number, consumer: ConsumerState): Status['drain'] => ({
  left,
  until: new Date(drain.until).toISOString(),
  // A paused consumer acknowledges nothing, so a drain would wait for it until its time is over.
  ...(control.intake === 'draining' &&
    left > 0 &&
    consumer !== 'running' && { waitingFor: 'consumer-paused' as const }),
});

const readRegistry = async (world: World): Promise<{ control: Control; tokens: readonly string[] }> => {
  const control = await readControl(world);
  const shards = await readAllShards(world, control);
  return { control, tokens: shards.flatMap((shard) => shard?.members ?? []) };
};

const readAtOnce = 100;

/** A token whose record is not there yet, or has ended, is in `total` and in no state. */
const countStates = async (world: World, tokens: readonly string[]) => {
  const counts = { queued: 0, running: 0, retrying: 0 };
  for (let at = 0; at < tokens.length; at += readAtOnce) {
    const some = tokens.slice(at, at + readAtOnce);
    const jobs = await world.store.readMany(some.map(tokenJobId));
    for (const token of some) {
      const job = jobs.get(tokenJobId(token));
      if (job?.slot.token === token && job.state in counts) counts[job.state as keyof typeof counts] += 1;
    }
  }
  return counts;
};

/** A job with its payload as JSON text; `scope` undefined: for an operator, who may see all. */
export const findJob = async (
  world: Pick<World, 'store' | 'clock'>,
  id: string,
  scope: string | undefined,
): Promise<{ readonly job: Job; readonly payload: string } | undefined> => {
  const job = isJobId(id) ? await world.store.read(id) : undefined;
  if (job === undefined || isGone(job, world.clock.now())) return undefined;
  if (scope !== undefined && job.scope !== scope) return undefined;
  const payload = 'inline' in job.payload ? job.payload.inline : await world.store.readPayload(job.payload.item);
  return { job, payload: payload ?? 'null' };
};
