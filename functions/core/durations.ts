import type { HistoryEventName, Job, RunningJob } from './job.ts';

const readying: ReadonlySet<HistoryEventName> = new Set(['accept', 'redrive', 'retry', 'recover']);

/**
 * How long the attempt that has just started waited in the queue, in milliseconds: from the moment when its delay or
 * wait was over to its start, however often its message was lost, put off or sent again meanwhile. After a lost worker
 * the wait runs from the lease's end, which the history does not keep, so that the time is understated by how late the
 * loss was found.
 */
export const queueTimeMs = (job: RunningJob): number => {
  const from = job.history.findLast((entry) => readying.has(entry.event));
  const waitSeconds =
    from?.event === 'accept' ? (job.options.delaySeconds ?? 0) : Number(from?.detail?.['waitSeconds'] ?? 0);
  return Math.max(0, Math.round(job.updatedAt - (from?.at ?? job.submittedAt) - waitSeconds * 1000));
};

/** From an attempt's start, as its worker holds it, to the finish that it wrote; in milliseconds by the worker's clock. */
export const runTimeMs = (started: RunningJob, ended: Job): number => Math.max(0, ended.updatedAt - started.updatedAt);
