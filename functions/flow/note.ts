import { queueTimeMs } from '#core/durations.ts';
import type { Evidence } from '#core/evidence.ts';
import type { Job, RunningJob } from '#core/job.ts';
import type { World } from './world.ts';

type Noting = Pick<World, 'telemetry'>;

/** `job` is the record as the start left it. */
export const noteStart = ({ telemetry }: Noting, job: RunningJob): void =>
  telemetry.note({
    metric: 'AttemptsStarted',
    jobId: job.id,
    code: 'started',
    took: { name: 'QueueTime', milliseconds: queueTimeMs(job) },
    detail: { type: job.type, attempt: job.attempt, starts: job.starts },
  });

export const noteRecovery = ({ telemetry }: Noting, job: Job): void =>
  telemetry.note({
    metric: 'JobsRecovered',
    jobId: job.id,
    code: 'worker-lost',
    level: 'warn',
    detail: { attempt: job.attempt, losses: job.losses },
  });

const endMetrics = {
  succeeded: 'JobsSucceeded',
  retrying: 'JobsRetried',
  cancelled: 'JobsCancelled',
  expired: 'JobsExpired',
  discarded: 'JobsDiscarded',
} as const satisfies { readonly [S in Exclude<Job['state'], 'queued' | 'running' | 'dead'>]: Evidence['metric'] };

/** Notes where a job went when an attempt, or the wait for one, ended; `runMs` is how long its handler's attempt ran. */
export const noteEnd = ({ telemetry }: Noting, job: Job, runMs?: number): void => {
  if (job.state === 'queued' || job.state === 'running') return;
  const took = runMs === undefined ? undefined : ({ name: 'RunTime', milliseconds: runMs } as const);
  const common = { jobId: job.id, took, detail: { attempt: job.attempt } };
  if (job.state === 'dead') {
    telemetry.note({ ...common, metric: 'JobsDead', code: job.reason.code, level: 'error' });
    return;
  }
  const last = job.history.at(-1)?.detail;
  telemetry.note({
    ...common,
    metric: endMetrics[job.state],
    code: String(last?.['code'] ?? job.state),
    level: job.state === 'succeeded' ? 'info' : 'warn',
    detail: { ...common.detail, ...(job.state === 'retrying' && { waitSeconds: Number(last?.['waitSeconds']) }) },
  });
};
