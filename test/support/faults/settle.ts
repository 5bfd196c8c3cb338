import type { Control } from '#core/control.ts';
import { isInFlight, type Job } from '#core/job.ts';
import type { Shard } from '#core/slot.ts';
import type { Asked, Lab } from './lab.ts';
import { deliver } from './poller.ts';

/** The system when nothing is left to do. */
export interface Rest {
  readonly jobs: ReadonlyMap<string, Job>;
  readonly control: Control | undefined;
  readonly shards: readonly Shard[];
}

/** Deliveries in a row; a message that keeps coming back shows itself by not getting through. */
const deliveriesMax = 20;
const roundsMax = 8;

/** Everything that waits in the queue goes through the consumer, as often as it comes back. */
export const deliverAll = async (lab: Lab): Promise<void> => {
  for (let n = 0; n < deliveriesMax; n += 1) if (!(await deliver(lab))) return;
  throw new Error(`messages came back ${deliveriesMax} times`);
};

/** A reconciler run, a period after whatever was before it. */
export const reconcileLater = async (lab: Lab): Promise<void> => {
  lab.clock.advance(lab.world.limits.reconcilerPeriodSeconds);
  const ran = await lab.reconcile();
  if (ran.kind !== 'answered' || !ran.value.ran) throw new Error(`an undisturbed reconciler run ${ran.kind}`);
};

/**
 * What happens after the fault, without another: those who still want their job ask again, consumer and reconciler run,
 * and time passes. Throws when the work does not come to an end, or slots are not free in time.
 */
export const settle = async (lab: Lab, askAgain: readonly Asked[]): Promise<Rest> => {
  for (const asked of askAgain) await lab.submit(asked);
  for (let round = 0; round < roundsMax; round += 1) {
    await deliverAll(lab);
    await reconcileLater(lab);
    const jobs = await jobsAtRest(lab);
    if (jobs !== undefined) return { jobs, ...(await freeSlots(lab, jobs)) };
    const { visibilitySeconds, resendPatienceSeconds } = lab.world.limits;
    lab.clock.advance(visibilitySeconds + resendPatienceSeconds);
  }
  throw new Error(`G6: not at rest after ${roundsMax} rounds`);
};

const jobsAtRest = async (lab: Lab): Promise<ReadonlyMap<string, Job> | undefined> => {
  const jobs = await lab.jobs();
  if ([...jobs.values()].some(isInFlight)) return undefined;
  const { visible, notVisible, delayed } = await lab.world.queue.look();
  return visible + notVisible + delayed === 0 ? jobs : undefined;
};

const registryOf = async (lab: Lab): Promise<Omit<Rest, 'jobs'>> => {
  const control = await lab.world.slots.readControl();
  const shards = await lab.world.slots.readShards(Array.from({ length: control?.shards ?? 0 }, (_, i) => i));
  return { control, shards: shards.filter((shard) => shard !== undefined) };
};

/** G8: two runs free what a record shows as ended; what no record carries goes once it is old enough, in one run more. */
const freeSlots = async (lab: Lab, jobs: Rest['jobs']): Promise<Omit<Rest, 'jobs'>> => {
  const ended = new Set([...jobs.values()].map((job) => job.slot.token));
  const taken = ({ shards }: Pick<Rest, 'shards'>) => shards.flatMap((shard) => shard.members);
  let registry = await registryOf(lab);
  // The run that found everything at rest was the first that could see it.
  if (taken(registry).some((token) => ended.has(token))) {
    await reconcileLater(lab);
    registry = await registryOf(lab);
  }
  if (taken(registry).some((token) => ended.has(token))) {
    throw new Error('G8: the slot of an ended job is not free after two runs');
  }
  if (taken(registry).length === 0) return registry;
  lab.clock.advance(lab.world.limits.orphanTokenSeconds);
  await reconcileLater(lab);
  return registryOf(lab);
};
