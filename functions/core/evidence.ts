import type { AdmissionRefusal } from './admission.ts';
import type { DeadReason, StrayReason } from './job.ts';
import type { Meeting } from './meeting.ts';

/** Every count that the system publishes, by its name in CloudWatch; dashboards and alarms are checked against it. */
export const counterNames = [
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
  'StepsFailed',
] as const;

export type MetricName = (typeof counterNames)[number];

/**
 * Counters that are published by their reason as well as in total, with all codes that they may have. The lists are
 * closed, since each code is a time series that is paid for.
 */
export const reasonsOf = {
  JobsRefused: everyOf<AdmissionRefusal | 'unavailable'>()(
    'queue-full',
    'tenant-quota',
    'intake-closed',
    'unavailable',
  ),
  JobsDead: everyOf<DeadReason>()(
    'permanent-error',
    'attempts-exhausted',
    'wait-budget-exhausted',
    'worker-lost',
    'never-started',
    'request-unreadable',
  ),
  Strays: everyOf<StrayReason>()('unreadable', 'unknown-version', 'unknown-job', 'forged'),
  PutOffs: everyOf<PutOffReason>()('running', 'too-early', 'to-be-buried', 'no-time-left', 'handler-hanging'),
  MessagesResent: everyOf<ResendReason>()('unsent', 'missing', 'returned'),
} satisfies Partial<Record<MetricName, readonly string[]>>;

/**
 * Why a message was put off: what its job was found to be, that its batch has no time left for it, or that a suspect must
 * not run beside a handler that goes on past its timeout.
 */
export type PutOffReason = Extract<Meeting, { act: 'put-off' }>['why'] | 'no-time-left' | 'handler-hanging';
type ResendReason = 'unsent' | 'missing' | 'returned';

export type ReasonedMetric = keyof typeof reasonsOf;
type ReasonOf<M extends ReasonedMetric> = (typeof reasonsOf)[M][number];

export const isReasoned = (metric: MetricName): metric is ReasonedMetric => Object.hasOwn(reasonsOf, metric);

/** Takes a list of codes only if it names every member of the union, so that a new code cannot be forgotten here. */
function everyOf<Code extends string>() {
  return <const Codes extends readonly Code[]>(
    ...codes: Exclude<Code, Codes[number]> extends never ? Codes : never
  ): Codes => codes;
}

/**
 * Gauges that the reconciler sets once a run, with their units in CloudWatch. `OldestReadyAge` is how long the job that
 * has been ready for longest waits, or its worker has been silent beyond its lease; `ReconcileLag` is how late the
 * upkeep is, see `reconcileLagSeconds`.
 */
export const gaugeUnits = {
  SlotsTaken: 'Count',
  Capacity: 'Count',
  Backlog: 'Count',
  OldestReadyAge: 'Seconds',
  ReconcileLag: 'Seconds',
} as const;
export type GaugeName = keyof typeof gaugeUnits;

/**
 * Durations, in milliseconds, each published along with the evidence of the step that ended it. `QueueTime` is from when
 * an attempt might have started to its start, `RunTime` from a start to the finish that its worker wrote.
 */
export const durationNames = ['QueueTime', 'RunTime'] as const;
export type DurationName = (typeof durationNames)[number];

interface EvidenceOf<Metric extends MetricName, Code extends string> {
  readonly metric: Metric;
  /** Undefined only where no job exists: a refused submission has the id that its key would have led to. */
  readonly jobId?: string | undefined;
  /** A stable reason code, in the contract's words where it has one. */
  readonly code: Code;
  readonly level?: 'info' | 'warn' | 'error';
  readonly took?: { readonly name: DurationName; readonly milliseconds: number } | undefined;
  readonly detail?: Readonly<Record<string, string | number | boolean | undefined>>;
}

/**
 * What G10 promises to leave behind: one metric and one log line for each of these, with the job's id and a stable code.
 * Neither a payload nor a raw key ever goes in; details are numbers, flags and codes.
 */
export type Evidence =
  | EvidenceOf<Exclude<MetricName, ReasonedMetric>, string>
  | { [M in ReasonedMetric]: EvidenceOf<M, ReasonOf<M>> }[ReasonedMetric];
