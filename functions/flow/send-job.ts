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
  const due = job.state === 'running' ? 0 : (job.nextAttemptAt ?? 0);
  try {
    await world.queue.send(job, wholeSeconds(due - world.clock.now(), bounds.delaySecondsMax));
    return true;
  } catch {
    world.telemetry.note({ metric: 'JobsUnsent', jobId: job.id, code: 'send-failed', level: 'error' });
    await markUnsent(world, job);
    return false;
  }
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
