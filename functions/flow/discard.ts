import { type BulkRequest, type BulkResult, type Candidate, type SkipCode, workThroughDead } from './bulk.ts';
import { noteEnd } from './note.ts';
import { moveJob } from './save-transition.ts';
import type { World } from './world.ts';

/**
 * Gives dead jobs up, and strays: the records stay until their TTL, so that a repeated submission still finds its job,
 * and the messages in the dead-letter queue are deleted by the next sweeps.
 */
export const discard = (world: World, request: BulkRequest, remainingMs: () => number): Promise<BulkResult> =>
  workThroughDead(world, request, remainingMs, true, (candidate) => discardOne(world, request, candidate));

const discardOne = async (
  world: World,
  request: BulkRequest,
  { id, job, stray }: Candidate,
): Promise<'moved' | SkipCode> => {
  if (stray) return discardStray(world, request, id);
  if (job === undefined) return 'job-not-found';
  if (job.state !== 'dead') return 'not-dead';
  if (request.dryRun) return 'moved';
  const moved = await moveJob(world, job, (record) =>
    record.tenure === job.tenure ? { type: 'discard', now: world.clock.now(), actor: request.actor } : undefined,
  );
  if (moved.kind === 'refused') return moved.job === undefined ? 'job-not-found' : 'not-dead';
  noteEnd(world, moved.job);
  return 'moved';
};

const discardStray = async (world: World, request: BulkRequest, id: string): Promise<'moved' | SkipCode> => {
  if (request.dryRun) return 'moved';
  // Longer than its message can stay in the dead-letter queue, or the sweep would record the stray anew.
  const expiresAt = world.clock.now() + world.limits.finalRetentionSeconds * 1000;
  if (!(await world.store.discardStray(id, expiresAt))) return 'job-not-found';
  world.telemetry.note({ metric: 'JobsDiscarded', code: 'stray', detail: { stray: id, actor: request.actor } });
  return 'moved';
};
