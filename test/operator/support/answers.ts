export const someId = (n: number): string => n.toString(16).padStart(32, '0');

/** A job as the API shows it, with what a test wants otherwise. */
export const jobLike = (more: Readonly<Record<string, unknown>> = {}) => ({
  id: someId(1),
  type: 'ledger.credit',
  key: 'k-1',
  state: 'succeeded',
  attempt: 1,
  attemptsMax: 3,
  starts: 1,
  tenant: '000000000000/user',
  submittedAt: '2026-01-31T12:00:00.000Z',
  updatedAt: '2026-01-31T12:00:01.500Z',
  redrives: 0,
  history: [{ at: '2026-01-31T12:00:00.000Z', event: 'accept' }],
  ...more,
});

export const statusLike = (more: Readonly<Record<string, unknown>> = {}) => ({
  intake: 'open',
  capacity: 100,
  inFlight: { total: 12, queued: 8, running: 3, retrying: 1 },
  backlog: { visible: 8, notVisible: 4, delayed: 0 },
  dead: 0,
  consumer: 'running',
  ...more,
});

export const bulkLike = (more: Readonly<Record<string, unknown>> = {}) => ({
  examined: 1,
  moved: 1,
  skipped: [],
  stoppedBy: 'end',
  dryRun: false,
  ...more,
});
