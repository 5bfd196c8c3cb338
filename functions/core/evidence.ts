/**
 * What G10 promises to leave behind: one metric and one log line for each of these, with the job's id and a stable code.
 * Neither a payload nor a raw key ever goes in; details are numbers, flags and codes.
 */
export interface Evidence {
  readonly metric: MetricName;
  /** Undefined only where no job exists: a refused submission has the id that its key would have led to. */
  readonly jobId?: string | undefined;
  /** A stable reason code, in the contract's words where it has one. */
  readonly code: string;
  readonly level?: 'info' | 'warn' | 'error';
  readonly detail?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/** Counters. The code becomes the dimension `reason` for those in `byReason`, which have few codes. */
const metricNames = [
  'JobsAccepted',
  'JobsRefused',
  'JobsReplayed',
  'JobsConflicted',
  'JobsUnsent',
  'AttemptsStarted',
  'JobsSucceeded',
  'JobsRetried',
  'JobsExpired',
  'CancelsRequested',
  'JobsCancelled',
  'JobsDead',
  'JobsDiscarded',
  'JobsRedriven',
  'JobsRecovered',
  'JobsStale',
  'PutOffs',
  'MessagesResent',
  'MessagesSwept',
  'FenceRejected',
  'SlotsReclaimed',
  'SlotsUnfreed',
  'Strays',
  'CapacityChanged',
  'IntakeChanged',
  'ConsumerSwitched',
  'ReconcilerRuns',
] as const;

export type MetricName = (typeof metricNames)[number];

export const byReason: ReadonlySet<MetricName> = new Set([
  'JobsRefused',
  'JobsDead',
  'Strays',
  'PutOffs',
  'MessagesResent',
]);

/** Gauges that the reconciler sets once a run. `OldestDueSeconds` is the age of the job that has been due for longest. */
const gaugeNames = ['SlotsTaken', 'Capacity', 'Backlog', 'OldestDueSeconds', 'ReconcileLagSeconds'] as const;
export type GaugeName = (typeof gaugeNames)[number];
