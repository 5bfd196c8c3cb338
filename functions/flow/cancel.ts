import { isJobId } from '#core/identity.ts';
import { isGone, isInFlight, type Job } from '#core/job.ts';
import { noteEnd } from './note.ts';
import { moveJob } from './save-transition.ts';
import type { World } from './world.ts';

export type Cancelled =
  /** Ended as cancelled, now or before; its slot is free. */
  | { readonly kind: 'cancelled'; readonly job: Job }
  /** Running: it ends at its next checkpoint, or as its outcome says if that came first. */
  | { readonly kind: 'requested'; readonly job: Job }
  | { readonly kind: 'not-in-flight'; readonly job: Job }
  | { readonly kind: 'not-found' };

/**
 * Cancels a job. Against a finish at the same moment one conditional write decides: the finish requires that no cancel was
 * requested, and the request requires that the job has not finished. `scope` undefined: for an operator.
 */
export const cancelJob = async (
  world: World,
  id: string,
  scope: string | undefined,
  actor: string,
): Promise<Cancelled> => {
  const job = isJobId(id) ? await world.store.read(id) : undefined;
  if (job === undefined || isGone(job, world.clock.now())) return { kind: 'not-found' };
  if (scope !== undefined && job.scope !== scope) return { kind: 'not-found' };
  return cancelRead(world, job, actor);
};

/** The same for a record that was read before. */
export const cancelRead = async (world: World, read: Job, actor: string): Promise<Cancelled> => {
  const moved = await moveJob(world, read, (record) =>
    isInFlight(record) ? { type: 'cancel', now: world.clock.now(), actor } : undefined,
  );
  const { job } = moved;
  if (job === undefined) return { kind: 'not-found' };
  if (job.state === 'cancelled') {
    await world.slots.free(job.slot.shard, [job.slot.token]);
    if (moved.kind === 'moved') noteEnd(world, job);
    return { kind: 'cancelled', job };
  }
  if (job.state !== 'running') return { kind: 'not-in-flight', job };
  if (moved.kind === 'moved') {
    world.telemetry.note({ metric: 'CancelsRequested', jobId: job.id, code: 'cancel-requested', detail: { actor } });
  }
  return { kind: 'requested', job };
};
