import { exampleProblem } from './problems.ts';

/** One job's life, from which all examples are taken. */
export const submissionExample = {
  type: 'ledger.credit',
  payload: { account: 'acc-7', amount: 1250 },
  options: { deadlineSeconds: 3_600 },
};

const accepted = { at: '2026-01-05T12:00:00.000Z', event: 'accept' };
export const queuedExample = {
  id: '3c9d1f0a5b7e4826a1d0c4f29b6e7d58',
  type: 'ledger.credit',
  key: 'order-1042',
  state: 'queued',
  attempt: 0,
  attemptsMax: 3,
  starts: 0,
  tenant: '123456789012/AROAEXAMPLEROLEID',
  submittedAt: '2026-01-05T12:00:00.000Z',
  updatedAt: '2026-01-05T12:00:00.000Z',
  deadlineAt: '2026-01-05T13:00:00.000Z',
  redrives: 0,
  history: [accepted],
};
export const succeededExample = {
  ...queuedExample,
  state: 'succeeded',
  attempt: 2,
  starts: 2,
  updatedAt: '2026-01-05T12:00:02.410Z',
  result: { credited: 1250 },
  payload: submissionExample.payload,
  history: [
    accepted,
    { at: '2026-01-05T12:00:00.080Z', event: 'start', attempt: 1 },
    {
      at: '2026-01-05T12:00:00.310Z',
      event: 'retry',
      attempt: 1,
      detail: { waitSeconds: 1.2, code: 'retryable-error' },
    },
    { at: '2026-01-05T12:00:02.190Z', event: 'start', attempt: 2 },
    { at: '2026-01-05T12:00:02.410Z', event: 'succeed', attempt: 2 },
  ],
};
export const cancelledExample = {
  ...queuedExample,
  state: 'cancelled',
  updatedAt: '2026-01-05T12:00:01.000Z',
  history: [accepted, { at: '2026-01-05T12:00:01.000Z', event: 'cancel', detail: { actor: queuedExample.tenant } }],
};
const started = { at: '2026-01-05T12:00:00.080Z', event: 'start', attempt: 1 };
export const cancelRequestedExample = {
  ...queuedExample,
  state: 'running',
  attempt: 1,
  starts: 1,
  updatedAt: '2026-01-05T12:00:01.000Z',
  cancelRequested: true,
  progress: { done: 40, total: 100, note: 'sending' },
  history: [
    accepted,
    started,
    { at: '2026-01-05T12:00:01.000Z', event: 'cancel-request', detail: { actor: queuedExample.tenant } },
  ],
};
const deadExample = {
  ...queuedExample,
  state: 'dead',
  attempt: 1,
  starts: 1,
  updatedAt: '2026-01-05T12:00:00.310Z',
  reason: { code: 'permanent-error', message: 'Error: no such account' },
  history: [
    accepted,
    started,
    { at: '2026-01-05T12:00:00.310Z', event: 'dead', attempt: 1, detail: { code: 'permanent-error' } },
  ],
};
const strayExample = {
  id: 'stray-9f86d081884c7d659a2feaa0c55ad015',
  stray: true,
  reason: 'unreadable',
  receivedAt: '2026-01-05T11:58:00.000Z',
};
export const cursorExample = 'WyJmM2E5YzFiMjRkNWU2ZjcwIiwiMTc2NzYxNDQwMCJd';

export const listExample = { jobs: [{ ...succeededExample, payload: undefined }], cursor: cursorExample };
export const deadListExample = { jobs: [deadExample, strayExample] };

export const batchExample = {
  jobs: [
    { key: 'order-1042', ...submissionExample },
    { key: 'order-1043', type: 'ledger.debit', payload: {} },
  ],
};
const unknownType = exampleProblem('unknown-job-type');
export const batchResultExample = {
  results: [
    { status: 202, job: queuedExample },
    { status: unknownType.status, problem: unknownType },
  ],
};

export const statusExample = {
  intake: 'open',
  capacity: 1_000,
  inFlight: { total: 12, queued: 7, running: 4, retrying: 1 },
  backlog: { visible: 7, notVisible: 5, delayed: 0 },
  dead: 3,
  consumer: 'running',
};
export const drainingExample = {
  ...statusExample,
  intake: 'draining',
  drain: { left: 12, until: '2026-01-05T13:00:00.000Z' },
};
export const bulkExample = {
  filter: { reason: 'attempts-exhausted', type: 'ledger.credit' },
  limit: 100,
  dryRun: true,
};
export const bulkResultExample = {
  examined: 3,
  moved: 2,
  skipped: [{ id: deadExample.id, code: 'redrive-limit' }],
  stoppedBy: 'end',
  dryRun: true,
};
