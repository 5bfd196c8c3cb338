import type { HistoryEntry, Job } from '#core/job.ts';
import type { Stray } from '#functions/ports.ts';

const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString());

/** The contract's job. `payload` is JSON text and stands only in the answers that ask for one job. */
export const jobView = (job: Job, payload?: string) => ({
  id: job.id,
  type: job.type,
  key: job.key,
  state: job.state,
  attempt: job.attempt,
  attemptsMax: job.attemptsMax,
  starts: job.starts,
  tenant: job.scope,
  submittedAt: iso(job.submittedAt),
  updatedAt: iso(job.updatedAt),
  nextAttemptAt: 'nextAttemptAt' in job ? iso(job.nextAttemptAt) : undefined,
  deadlineAt: iso(job.deadlineAt),
  stale: job.stale,
  cancelRequested: job.cancelRequested,
  result: job.state === 'succeeded' ? (JSON.parse(job.result) as unknown) : undefined,
  reason: 'reason' in job ? job.reason : undefined,
  progress: job.progress,
  redrives: job.redrives,
  payload: payload === undefined ? undefined : (JSON.parse(payload) as unknown),
  history: job.history.map(entryView),
});

/** A retry tells its wait in `detail.waitSeconds`. */
const entryView = (entry: HistoryEntry) => ({
  at: iso(entry.at),
  event: entry.event,
  attempt: entry.attempt,
  detail: entry.detail,
});

export const strayView = (stray: Stray) => ({
  id: stray.id,
  stray: true,
  reason: stray.reason,
  receivedAt: iso(stray.receivedAt),
});
