import { type InFlightJob, isInFlight, type Job } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import { isStale, type QueueView, type Repair, repairOf } from '#core/reconciliation.ts';
import { noteEnd, noteRecovery } from './note.ts';
import { moveJob } from './save-transition.ts';
import { sendJob } from './send-job.ts';
import type { World } from './world.ts';

export interface Repaired {
  readonly repair?: Exclude<Repair, 'none'>;
  /** The job has left flight by it, so that its slot is free. */
  readonly left: boolean;
  readonly stale: boolean;
}

/** Does to a job in flight what the reconciler owes it, on the record as it is at the moment of the write. */
export const repairJob = async (world: World, job: InFlightJob, queue: QueueView): Promise<Repaired> => {
  const { clock, limits, random } = world;
  const repair = repairOf(job, clock.now(), queue, limits);
  if (repair === 'none') return { left: false, stale: await markIfStale(world, job) };
  if (repair === 'resend-missing' || repair === 'resend-unsent') return sendAgain(world, job, repair);
  const jitter = random.next();
  const moved = await moveJob(world, job, (record) => {
    const fresh = isInFlight(record) && repairOf(record, clock.now(), queue, limits) === repair;
    return fresh ? eventOf(repair, clock.now(), jitter) : undefined;
  });
  if (moved.kind === 'refused') return { left: false, stale: false };
  if (repair === 'recover' && moved.job.state === 'retrying') noteRecovery(world, moved.job);
  else noteEnd(world, moved.job);
  return { repair, left: !isInFlight(moved.job), stale: false };
};

/** The message first: if SQS does not take it, the record must not say that it was sent. One too many does no harm. */
const sendAgain = async (
  world: World,
  job: InFlightJob,
  repair: 'resend-missing' | 'resend-unsent',
): Promise<Repaired> => {
  if (!(await sendJob(world, job))) return { left: false, stale: await markIfStale(world, job) };
  const cause = repair === 'resend-unsent' ? 'unsent' : 'missing';
  const detail = { resends: job.resends };
  world.telemetry.note({ metric: 'MessagesResent', jobId: job.id, code: cause, level: 'warn', detail });
  await moveJob(world, job, (record) =>
    record.tenure === job.tenure && record.attempt === job.attempt
      ? { type: 'resend', now: world.clock.now(), cause }
      : undefined,
  );
  return { repair, left: false, stale: await markIfStale(world, job) };
};

const markIfStale = async (world: World, job: InFlightJob): Promise<boolean> => {
  const { clock, limits } = world;
  if (!isStale(job, clock.now(), limits)) return false;
  if (job.stale) return true;
  const moved = await moveJob(world, job as Job, (record) =>
    isInFlight(record) && isStale(record, clock.now(), limits) ? { type: 'mark-stale', now: clock.now() } : undefined,
  );
  if (moved.kind === 'moved') {
    world.telemetry.note({ metric: 'JobsStale', jobId: job.id, code: job.state, level: 'warn' });
  }
  return true;
};

const eventOf = (repair: 'recover' | 'expire' | 'bury-never-started', now: number, jitter: number): JobEvent => {
  switch (repair) {
    case 'recover':
      return { type: 'recover', now, jitter };
    case 'expire':
      return { type: 'expire', now };
    case 'bury-never-started':
      return {
        type: 'bury',
        now,
        reason: {
          code: 'never-started',
          message: 'its message came back from the dead-letter queue again and again without a start',
        },
      };
  }
};
