import { type GraphWidgetProps, type IMetric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { type ReasonedMetric, reasonsOf } from '../functions/core/evidence.ts';
import { minute, type SystemMetrics, type Watched } from './metrics.ts';

type Graph = Pick<GraphWidgetProps, 'title' | 'left' | 'right' | 'leftYAxis' | 'rightYAxis'>;

/** One step of a job's way: a heading, what it tells, and its graphs, which stand under one another. */
export interface Step {
  readonly heading: string;
  readonly story: string;
  readonly graphs: readonly Graph[];
}

/** From left to right: taken in, waiting, worked on, ended; and at the right what mends the rest. */
export const stepsOf = (ours: SystemMetrics, watched: Watched): readonly Step[] => [
  intake(ours, watched),
  queue(ours, watched),
  work(ours, watched),
  ends(ours, watched),
  upkeep(ours),
];

const reasons = <M extends ReasonedMetric>(ours: SystemMetrics, name: M): IMetric[] =>
  reasonsOf[name].map((code) => ours.reason(name, code).with({ label: code }));

const whole = { min: 0, label: 'a minute', showUnits: false } as const;
const seconds = { min: 0, label: 'seconds', showUnits: false } as const;
const milliseconds = { min: 0, label: 'milliseconds', showUnits: false } as const;

const intake = (ours: SystemMetrics, { rest }: Watched): Step => ({
  heading: 'Intake',
  story: 'What callers ask for, and what they are answered.',
  graphs: [
    {
      title: 'Taken in',
      left: [ours.counter('JobsAccepted'), ours.counter('JobsRedriven'), ours.counter('JobsReplayed')],
      leftYAxis: whole,
    },
    {
      title: 'Refused',
      left: [...reasons(ours, 'JobsRefused'), ours.counter('JobsConflicted'), ours.counter('JobsUnsent')],
      leftYAxis: whole,
    },
    {
      title: 'Calls and their latency',
      left: [
        rest.deploymentStage.metricCount({ ...minute, statistic: Stats.SUM, label: 'calls' }),
        rest.deploymentStage.metricClientError({ ...minute, statistic: Stats.SUM, label: '4xx' }),
        rest.deploymentStage.metricServerError({ ...minute, statistic: Stats.SUM, label: '5xx' }),
      ],
      right: [rest.deploymentStage.metricLatency({ ...minute, statistic: Stats.percentile(95), label: 'p95' })],
      leftYAxis: whole,
      rightYAxis: milliseconds,
    },
  ],
});

const queue = (ours: SystemMetrics, { queue: { main } }: Watched): Step => ({
  heading: 'Queue',
  story: 'What is in flight against the capacity, and how long it waits.',
  graphs: [
    {
      title: 'Slots against capacity',
      left: [ours.gauge('SlotsTaken'), ours.gauge('Capacity').with({ color: '#d62728' }), ours.gauge('Backlog')],
      leftYAxis: { min: 0, showUnits: false },
    },
    {
      title: 'Messages',
      left: [
        main.metricApproximateNumberOfMessagesVisible({ ...minute, statistic: Stats.MAXIMUM, label: 'visible' }),
        main.metricApproximateNumberOfMessagesNotVisible({
          ...minute,
          statistic: Stats.MAXIMUM,
          label: 'being worked on',
        }),
        main.metricApproximateNumberOfMessagesDelayed({ ...minute, statistic: Stats.MAXIMUM, label: 'delayed' }),
      ],
      leftYAxis: { min: 0, showUnits: false },
    },
    {
      title: 'Age of the oldest',
      left: [
        ours.gauge('OldestReadyAge'),
        main.metricApproximateAgeOfOldestMessage({ ...minute, statistic: Stats.MAXIMUM, label: 'oldest message' }),
      ],
      leftYAxis: seconds,
    },
    {
      title: 'Time in the queue',
      left: [50, 95, 99].map((percentile) => ours.duration('QueueTime', percentile)),
      leftYAxis: milliseconds,
    },
  ],
});

const work = (ours: SystemMetrics, { functions: { consumer } }: Watched): Step => ({
  heading: 'Work',
  story: 'Attempts: started, tried again, put off; and the workers under them.',
  graphs: [
    {
      title: 'Attempts',
      left: [ours.counter('AttemptsStarted'), ours.counter('JobsRetried'), ours.counter('JobsRecovered')],
      leftYAxis: whole,
    },
    { title: 'Put off', left: reasons(ours, 'PutOffs'), leftYAxis: whole },
    {
      title: 'Run time of attempts',
      left: [50, 95, 99].map((percentile) => ours.duration('RunTime', percentile)),
      leftYAxis: milliseconds,
    },
    {
      title: 'Consumer',
      left: [
        consumer.metric('ConcurrentExecutions', { ...minute, statistic: Stats.MAXIMUM, label: 'at once' }),
        consumer.metricErrors({ ...minute, statistic: Stats.SUM, label: 'errors' }),
        consumer.metricThrottles({ ...minute, statistic: Stats.SUM, label: 'throttles' }),
      ],
      leftYAxis: { min: 0, showUnits: false },
    },
  ],
});

const ends = (ours: SystemMetrics, { queue: { deadLetters } }: Watched): Step => ({
  heading: 'Ends',
  story: 'Where jobs came out, and what waits for a decision.',
  graphs: [
    {
      title: 'Ended',
      left: [
        ours.counter('JobsSucceeded'),
        ours.counter('JobsCancelled'),
        ours.counter('JobsExpired'),
        ours.counter('JobsDiscarded'),
      ],
      leftYAxis: whole,
    },
    { title: 'Dead', left: reasons(ours, 'JobsDead'), leftYAxis: whole },
    {
      title: 'Dead letters',
      left: [
        deadLetters.metricApproximateNumberOfMessagesVisible({ ...minute, statistic: Stats.MAXIMUM, label: 'visible' }),
        deadLetters.metricApproximateNumberOfMessagesNotVisible({
          ...minute,
          statistic: Stats.MAXIMUM,
          label: 'looked at',
        }),
      ],
      leftYAxis: { min: 0, showUnits: false },
    },
    { title: 'Strays', left: reasons(ours, 'Strays'), leftYAxis: whole },
  ],
});

const upkeep = (ours: SystemMetrics): Step => ({
  heading: 'Upkeep',
  story: 'What crashes left, and who changed what.',
  graphs: [
    {
      title: 'Reconciler',
      left: [ours.counter('ReconcilerRuns')],
      right: [ours.gauge('ReconcileLag')],
      leftYAxis: whole,
      rightYAxis: seconds,
    },
    {
      title: 'Repaired',
      left: [
        ours.counter('SlotsReclaimed'),
        ours.counter('SlotsUnfreed'),
        ours.counter('StepsFailed'),
        ours.counter('MessagesSwept'),
        ours.counter('JobsStale'),
        ours.counter('FenceRejected'),
      ],
      leftYAxis: whole,
    },
    { title: 'Sent again', left: reasons(ours, 'MessagesResent'), leftYAxis: whole },
    {
      title: 'By operators and callers',
      left: [
        ours.counter('CapacityChanged'),
        ours.counter('IntakeChanged'),
        ours.counter('ConsumerSwitched'),
        ours.counter('CancelsRequested'),
      ],
      leftYAxis: whole,
    },
  ],
});
