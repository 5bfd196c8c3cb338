import { admit } from '#core/admit.ts';
import type { Limits } from '#core/limits.ts';
import type { Slot } from '#core/slot.ts';
import { ApiInstance } from './api-instance.ts';
import { Consumer } from './consumer.ts';
import { EventQueue } from './event-queue.ts';
import { Meter } from './meter.ts';
import type { Observed } from './observed.ts';
import { seeded, seededWords } from './seeded.ts';
import { Slots, writesFor } from './slots.ts';
import { exponential, serviceTimes, type Workload } from './workload.ts';

export interface Run {
  readonly seed: number;
  /** Arrivals that are measured, and before them those that fill the empty system. */
  readonly jobs: number;
  readonly warmUpJobs: number;
  /** The run ends when more slots than this are taken. */
  readonly takenMax?: number;
  /** Told now and then how many of all arrivals have come. */
  readonly onProgress?: ((arrived: number) => void) | undefined;
}

const progressEvery = 5_000;

/**
 * Jobs in virtual time, through core's own decisions: slots are taken as `ApiInstance` does, and states and waits are what
 * `transition` says. Arrivals end the run, so its length is bounded by their number, and memory by the slots. The same
 * seed gives the same answer; arrivals, services and failures have draws of their own, so that two runs with other limits
 * meet the same jobs.
 */
export const simulate = (workload: Workload, limits: Limits, run: Run): Observed => {
  const fork = seededWords(run.seed);
  const [arrivals, services, failures, choices] = [seeded(fork()), seeded(fork()), seeded(fork()), seeded(fork())];
  const events = new EventQueue();
  const slots = new Slots(limits.capacity);
  const meter = new Meter(events, slots);
  const draws = {
    serviceSeconds: serviceTimes(workload, services),
    fails: () => failures() < workload.failShare,
    jitter: choices,
  };
  const consumer = new Consumer({ events, slots, meter, limits, draws, overheadSeconds: workload.overheadSeconds });
  const callsPerSecond = workload.arrivalPerSecond / workload.bulk;
  const instances = Array.from(
    { length: Math.max(1, Math.ceil(callsPerSecond * workload.apiSeconds)) },
    () => new ApiInstance(slots, limits, choices, meter),
  );

  const last = run.warmUpJobs + run.jobs;
  let arrived = 0;
  let observed: (() => Observed) | undefined;

  /** One call, with the jobs that it brings. */
  const call = (): void => {
    meter.passTime();
    const instance = instances[Math.floor(choices() * instances.length)];
    const taken: Slot[] = [];
    for (let i = 0; i < workload.bulk && arrived < last; i += 1) {
      arrived += 1;
      if (arrived === run.warmUpJobs + 1) meter.begin();
      if (arrived % progressEvery === 0) run.onProgress?.(arrived);
      const slot = instance?.take(String(arrived), events.now);
      if (slot === undefined) meter.counts.refused += 1;
      else taken.push(slot);
    }
    meter.counts.asked.takes += writesFor(taken);
    const watched = meter.isCounting;
    for (const slot of taken) submit(slot, watched);
    const overflows = slots.taken > (run.takenMax ?? Number.POSITIVE_INFINITY);
    if (overflows || arrived === last) observed = meter.end(run.jobs, overflows);
    else events.plan(events.now + exponential(1000 / callsPerSecond, arrivals()), call);
  };

  /** The record is written and the message sent when the API's time is over; the slot is taken from the beginning. */
  const submit = (slot: Slot, watched: boolean): void => {
    const sentAt = events.now + workload.apiSeconds * 1000;
    const { token: id } = slot;
    events.plan(sentAt, () => {
      const request = { id, type: '', key: id, scope: '', fingerprint: '', payload: { inline: '' }, options: {} };
      consumer.offer(admit({ ...request, slot, now: sentAt }, limits), watched);
    });
  };

  call();
  while (observed === undefined && events.step());
  if (observed === undefined) throw new Error('the simulation ended before its last arrival');
  const result = observed;
  // Those that still wait were let in while it counted: their waits belong to the answer, what they cost does not.
  while (consumer.watched > 0 && events.step());
  return result();
};
