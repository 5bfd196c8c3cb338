import type { Job, RunningJob } from '#core/job.ts';
import type { JobWrite } from '#core/job-write.ts';
import type { World } from '#flow/world.ts';
import type { JobQueue, JobStore, SlotRegistry } from '#functions/ports.ts';
import type { MemoryJobStore } from '../memory/job-store.ts';
import type { MemorySlotRegistry } from '../memory/slot-registry.ts';
import type { PortName } from './weather.ts';

export type Role = 'api' | 'consumer' | 'reconciler' | 'operator';

/** The doubles behind the seam, and the seam itself for calls that the real ports do not have. */
interface Behind {
  readonly through: <P extends object>(name: PortName, port: P) => P;
  readonly store: MemoryJobStore;
  readonly slots: MemorySlotRegistry;
}

/** A mistake that somebody could make, put between the flow and its ports, to prove that it would be found. */
export interface Mutation {
  readonly name: string;
  /** What the instances of a role get instead of their world. */
  readonly alter?: (world: World, role: Role, behind: Behind) => World;
  readonly noReconciler?: boolean;
  /** The mapping deletes the messages before the batch has run. */
  readonly acknowledgeFirst?: boolean;
}

/** A port with some calls replaced. The rest goes to it unchanged, also through a proxy. */
const withCalls = <P extends object>(port: P, calls: Partial<P>): P =>
  new Proxy(port, {
    get: (target, property) => Reflect.get(property in calls ? calls : target, property) as unknown,
  });

export const onStore = (world: World, calls: Partial<JobStore>): World => ({
  ...world,
  store: withCalls(world.store, calls),
});
export const onSlots = (world: World, calls: Partial<SlotRegistry>): World => ({
  ...world,
  slots: withCalls(world.slots, calls),
});
export const onQueue = (world: World, calls: Partial<JobQueue>): World => ({
  ...world,
  queue: withCalls(world.queue, calls),
});

/** What a store without guards would do, each in one atomic step of its own. */
export const unguarded = ({ through, store: base }: Behind) =>
  through('store', {
    put: async (job: Job) => base.put(job),
    finishAnyway: async (from: RunningJob, to: Job, writes: readonly JobWrite[]) => {
      base.put(from);
      return base.finish(from, to, writes, false);
    },
    /** The handler's writes alone: the record goes back to what it was. */
    effects: async (from: RunningJob, writes: readonly JobWrite[]) => {
      const there = await base.read(from.id);
      base.put(from);
      await base.finish(from, { ...from, rev: from.rev + 1 }, writes, false);
      base.put(there ?? from);
    },
  });
