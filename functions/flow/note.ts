import type { MetricName } from '#core/evidence.ts';
import type { Job, RunningJob } from '#core/job.ts';
import type { World } from './world.ts';

type Noting = Pick<World, 'telemetry' | 'clock'>;

export const noteStart = ({ telemetry, clock }: Noting, job: RunningJob): void =>
  telemetry.note({
    metric: 'AttemptsStarted',
    jobId: job.id,
    code: 'started',
    detail: {
      type: job.type,
      attempt: job.attempt,
      starts: job.starts,
      queueMs: Math.max(0, clock.now() - Math.max(job.sentAt, job.submittedAt)),
    },
  });

export const noteRecovery = ({ telemetry }: Noting, job: Job): void =>
  telemetry.note({
    metric: 'JobsRecovered',
    jobId: job.id,
    code: 'worker-lost',
    level: 'warn',
    detail: { attempt: job.attempt, losses: job.losses },
  });

const endMetrics: { readonly [S in Exclude<Job['state'], 'queued' | 'running'>]: MetricName } = {
  succeeded: 'JobsSucceeded',
  retrying: 'JobsRetried',
  dead: 'JobsDead',
  cancelled: 'JobsCancelled',
  expired: 'JobsExpired',
  discarded: 'JobsDiscarded',
};

/** Notes where a job went when an attempt, or the wait for one, ended. */
export const noteEnd = ({ telemetry }: Noting, job: Job): void => {
  if (job.state === 'queued' || job.state === 'running') return;
  const last = job.history.at(-1)?.detail;
  const code = job.state === 'dead' ? job.reason.code : String(last?.['code'] ?? job.state);
  telemetry.note({
    metric: endMetrics[job.state],
    jobId: job.id,
    code,
    level: job.state === 'dead' ? 'error' : job.state === 'succeeded' ? 'info' : 'warn',
    detail: { attempt: job.attempt, ...(job.state === 'retrying' && { waitSeconds: Number(last?.['waitSeconds']) }) },
  });
};
