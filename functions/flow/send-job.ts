import type { InFlightJob, Job } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { wholeSeconds } from '#core/retry-policy.ts';
import { moveJob } from './save-transition.ts';
import type { World } from './world.ts';

/**
 * Sends the job's message with the delay that is left. On failure, or when nobody knows, the record is marked `unsent`
 * (best effort: without the mark the reconciler finds out by time) and the answer is false.
 */
export const sendJob = async (world: World, job: InFlightJob): Promise<boolean> => {
  try {
    await world.queue.send(job, delayOf(world, job));
    return true;
  } catch {
    await noteUnsent(world, job);
    return false;
  }
};

/** The same for several jobs at once; returns the ids of those that were not sent for certain. */
export const sendJobs = async (world: World, jobs: readonly InFlightJob[]): Promise<ReadonlySet<string>> => {
  if (jobs.length === 0) return new Set();
  const unsent = await world.queue
    .sendMany(jobs.map((job) => ({ message: job, delaySeconds: delayOf(world, job) })))
    .catch(() => new Set(jobs.map((job) => job.id)));
  await Promise.all(jobs.filter((job) => unsent.has(job.id)).map((job) => noteUnsent(world, job)));
  return unsent;
};

const delayOf = (world: World, job: InFlightJob): number =>
  wholeSeconds((job.state === 'running' ? 0 : (job.nextAttemptAt ?? 0)) - world.clock.now(), bounds.delaySecondsMax);

const noteUnsent = async (world: World, job: InFlightJob): Promise<void> => {
  world.telemetry.note({ metric: 'JobsUnsent', jobId: job.id, code: 'send-failed', level: 'error' });
  await markUnsent(world, job);
};

const markUnsent = async (world: World, job: Job): Promise<void> => {
  try {
    await moveJob(world, job, () => ({ type: 'mark-unsent', now: world.clock.now() }));
  } catch {
    // The mark only hastens the resend.
  }
};

/** After a later send went out. Best effort too: a mark left behind leads to one more message, which does no harm. */
export const markSent = async (world: World, job: Job): Promise<void> => {
  try {
    await moveJob(world, job, () => ({ type: 'mark-sent', now: world.clock.now() }));
  } catch {
    // See above.
  }
};
