import type { Job } from '#core/job.ts';
import { isInFlight } from '#core/job.ts';
import { findJob } from './inspect.ts';
import type { World } from './world.ts';

const firstPauseMs = 100;
const pauseMaxMs = 1_000;

/**
 * Reads a job until it has left flight, or `waitMs` are over: after 100 ms, then at growing intervals of up to a second,
 * so that a wait of 20 s costs at most about 25 reads. Undefined: there is no such job.
 */
export const waitForJob = async (
  world: World,
  id: string,
  scope: string,
  waitMs: number,
): Promise<{ readonly job: Job; readonly payload: string } | undefined> => {
  const until = world.clock.now() + waitMs;
  for (let pause = firstPauseMs; ; pause = Math.min(pauseMaxMs, pause * 1.5)) {
    const found = await findJob(world, id, scope);
    const left = until - world.clock.now();
    if (found === undefined || !isInFlight(found.job) || left <= 0) return found;
    await world.clock.wait(Math.min(pause, left));
  }
};
