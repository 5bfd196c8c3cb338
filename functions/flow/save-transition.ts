import { Unavailable } from '#core/failure.ts';
import type { Job } from '#core/job.ts';
import type { JobEvent, Refusal } from '#core/job-event.ts';
import { transition } from '#core/transition.ts';
import type { World } from './world.ts';

export type Moved =
  | { readonly kind: 'moved'; readonly job: Job; readonly from: Job }
  | { readonly kind: 'refused'; readonly refusal: Refusal | 'absent'; readonly job: Job | undefined };

const racesMax = 5;

/**
 * Decides by `transition`, writes under guard, and decides again on the newer record when the race was lost. `eventFor`
 * sees the record anew each time and may decline. Throws when the store failed or the answer is unclear.
 */
export const moveJob = async (
  world: Pick<World, 'store' | 'limits'>,
  job: Job,
  eventFor: (job: Job) => JobEvent | undefined,
): Promise<Moved> => {
  let current = job;
  for (let race = 0; race < racesMax; race += 1) {
    const event = eventFor(current);
    if (event === undefined) return { kind: 'refused', refusal: 'nothing-to-do', job: current };
    const next = transition(current, event, world.limits);
    if (!next.ok) return { kind: 'refused', refusal: next.refusal, job: current };
    const saved = await world.store.save(current, next.job);
    if (saved.kind === 'saved') return { kind: 'moved', job: next.job, from: current };
    if (saved.job === undefined) return { kind: 'refused', refusal: 'absent', job: undefined };
    current = saved.job;
  }
  throw new Unavailable(`job ${job.id} moved ${racesMax} times under one decision`);
};
