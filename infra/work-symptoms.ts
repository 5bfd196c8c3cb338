import { ComparisonOperator, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Limits } from '../functions/core/limits.ts';
import { minute, type SystemMetrics, type Watched } from './metrics.ts';
import { fiveMinutes, nobodyKnows, nothingHappened, type Symptom } from './symptom.ts';

/** What goes wrong between a submission and the end of its job. */
export const workSymptoms = (ours: SystemMetrics, watched: Watched, limits: Limits): readonly Symptom[] => [
  ...intakeSymptoms(ours, watched),
  ...queueSymptoms(ours, watched, limits),
  ...endSymptoms(ours, watched),
];

const intakeSymptoms = (ours: SystemMetrics, { rest }: Watched): readonly Symptom[] => [
  {
    name: 'refusals',
    meaning: 'Callers have been refused with queue-full for ten minutes: more comes in than is worked off.',
    runbook: 'capacity-reached',
    metric: ours.reason('JobsRefused', 'queue-full'),
    threshold: 1,
    periods: 15,
    breaches: 10,
    missing: nothingHappened,
  },
  {
    name: 'api-server-errors',
    meaning: 'More than one call in a hundred is answered with 5xx, those that a closed intake refuses not counted.',
    runbook: 'the-api-answers-with-5xx',
    // An intake that an operator closed answers 503, which is no fault. FILL stands for a minute without such answers,
    // and SUM skips a series that has no data at all.
    metric: new MathExpression({
      ...minute,
      label: '5xx, in percent of calls',
      expression: '100 * SUM([errors, -1 * FILL(closed, 0)]) / calls',
      usingMetrics: {
        errors: rest.deploymentStage.metricServerError({ ...minute, statistic: Stats.SUM }),
        closed: ours.reason('JobsRefused', 'intake-closed'),
        calls: rest.deploymentStage.metricCount({ ...minute, statistic: Stats.SUM }),
      },
    }),
    threshold: 1,
    comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
    periods: 5,
    breaches: 3,
    // Without calls there is no data, and nobody gets an error.
    missing: nothingHappened,
  },
  {
    name: 'unsent-messages',
    meaning:
      'Jobs are recorded and their messages do not reach SQS. Nothing is lost: callers repeat, the reconciler sends.',
    runbook: 'messages-not-sent',
    metric: ours.counter('JobsUnsent'),
    threshold: 1,
    periods: 5,
    breaches: 3,
    missing: nothingHappened,
  },
];

const queueSymptoms = (ours: SystemMetrics, { queue }: Watched, limits: Limits): readonly Symptom[] => {
  const movements = {
    succeeded: ours.counter('JobsSucceeded'),
    dead: ours.counter('JobsDead'),
    cancelled: ours.counter('JobsCancelled'),
    expired: ours.counter('JobsExpired'),
  };
  const filled = Object.keys(movements)
    .map((id) => `FILL(${id}, 0)`)
    .join(', ');
  const taken = ours.gauge('SlotsTaken');
  return [
    {
      name: 'oldest-ready-job',
      meaning:
        'A job has been ready for longer than the time after which it counts as stale, and nothing happens to it.',
      runbook: 'work-waits-too-long',
      metric: ours.gauge('OldestReadyAge'),
      threshold: limits.staleAfterSeconds,
      periods: 3,
      breaches: 2,
      missing: nobodyKnows,
    },
    {
      name: 'oldest-message',
      meaning: 'A message is older than all attempts and waits of one job take together.',
      runbook: 'work-waits-too-long',
      metric: queue.main.metricApproximateAgeOfOldestMessage({ ...minute, statistic: Stats.MAXIMUM }),
      // A message keeps its age over its retries, and a lost worker hides it for a whole visibility.
      threshold: limits.waitBudgetDefaultSeconds + limits.attemptsMax * limits.visibilitySeconds,
      comparison: ComparisonOperator.GREATER_THAN_THRESHOLD,
      periods: 5,
      missing: nobodyKnows,
    },
    {
      name: 'full-and-still',
      meaning: 'Every slot is taken and no job ends, so that nothing more will come in.',
      runbook: 'full-and-nothing-moves',
      // `taken * 0` gives the sum a point in each minute, as none of the counters has one while nothing moves.
      metric: new MathExpression({
        ...minute,
        label: 'full and nothing moves',
        expression: `IF(taken >= capacity AND SUM([taken * 0, ${filled}]) == 0, 1, 0)`,
        usingMetrics: { taken, capacity: ours.gauge('Capacity'), ...movements },
      }),
      threshold: 1,
      // As long as SQS hides the message of a worker that was lost; before that, all may come back by itself.
      periods: Math.max(3, Math.ceil(limits.visibilitySeconds / 60)),
      missing: nobodyKnows,
    },
  ];
};

const endSymptoms = (ours: SystemMetrics, { queue }: Watched): readonly Symptom[] => [
  {
    name: 'dead-letters',
    meaning: 'Dead jobs or strays wait for a decision in the dead-letter queue.',
    runbook: 'dead-letter-queue-not-empty',
    // The reconciler hides the messages while it looks at them, so that the visible ones alone come and go.
    metric: new MathExpression({
      ...minute,
      label: 'messages, hidden ones included',
      expression: 'SUM([visible, hidden])',
      usingMetrics: {
        visible: queue.deadLetters.metricApproximateNumberOfMessagesVisible({ ...minute, statistic: Stats.MAXIMUM }),
        hidden: queue.deadLetters.metricApproximateNumberOfMessagesNotVisible({ ...minute, statistic: Stats.MAXIMUM }),
      },
    }),
    threshold: 1,
    // What nobody needs any more is swept within a minute or two.
    periods: 3,
    missing: nobodyKnows,
  },
  {
    name: 'jobs-dying',
    meaning: 'Jobs have been dying for a quarter of an hour. It rings again where dead-letters rings already.',
    runbook: 'jobs-die',
    metric: ours.counter('JobsDead', fiveMinutes),
    threshold: 1,
    periods: 3,
    missing: nothingHappened,
  },
  {
    name: 'strays',
    meaning: 'Messages came that belong to no job: somebody else sends to the queue, or a newer version did.',
    runbook: 'strays',
    metric: ours.counter('Strays', fiveMinutes),
    threshold: 1,
    periods: 1,
    missing: nothingHappened,
  },
];
