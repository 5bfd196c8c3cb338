import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Limits } from '../functions/core/limits.ts';
import { minute, type SystemMetrics, type Watched } from './metrics.ts';
import { fiveMinutes, nobodyKnows, nothingHappened, type Symptom, silence } from './symptom.ts';

/** What goes wrong in the repair of crashes, and with workers. */
export const upkeepSymptoms = (ours: SystemMetrics, limits: Limits): readonly Symptom[] => {
  // CloudWatch looks at whole minutes.
  const runPeriod = Duration.minutes(Math.ceil(limits.reconcilerPeriodSeconds / 60));
  return [
    {
      name: 'reconciler-silent',
      meaning: 'The reconciler has not completed a run for three periods. Crashes are not repaired meanwhile.',
      runbook: 'reconciler-silent',
      metric: ours.counter('ReconcilerRuns', runPeriod),
      threshold: 1,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      periods: 3,
      missing: silence,
    },
    {
      name: 'reconciler-behind',
      meaning: 'The reconciler comes late or does not get through, so that repairs take longer than promised.',
      runbook: 'reconciler-behind',
      metric: ours.gauge('ReconcileLag'),
      threshold: 2 * limits.reconcilerPeriodSeconds,
      periods: 5,
      breaches: 2,
      missing: nobodyKnows,
    },
    {
      name: 'slots-reclaimed',
      meaning: 'Slots were left behind by something that crashed, and have been freed.',
      runbook: 'slots-reclaimed',
      metric: ours.counter('SlotsReclaimed', fiveMinutes),
      threshold: 1,
      periods: 1,
      missing: nothingHappened,
    },
    {
      name: 'workers-lost',
      meaning: 'Workers keep ending in the middle of jobs: out of memory, out of time, or a crash.',
      runbook: 'workers-lost',
      metric: ours.counter('JobsRecovered', fiveMinutes),
      threshold: 1,
      // One crash is repaired and forgotten. One that repeats within a quarter of an hour has a cause.
      periods: 3,
      breaches: 2,
      missing: nothingHappened,
    },
    {
      name: 'jobs-dead-of-lost-workers',
      meaning: 'A job is dead because its worker was lost in every attempt: it may be what kills them.',
      runbook: 'workers-lost',
      metric: ours.reason('JobsDead', 'worker-lost', fiveMinutes),
      threshold: 1,
      periods: 1,
      missing: nothingHappened,
    },
    {
      name: 'late-results',
      meaning: 'Workers come back after their lease has ended. The fence refuses them; their work is done again.',
      runbook: 'late-results',
      metric: ours.counter('FenceRejected', fiveMinutes),
      threshold: 1,
      periods: 3,
      breaches: 2,
      missing: nothingHappened,
    },
  ];
};

/** What Lambda itself says of the four functions. */
export const functionSymptoms = ({ functions }: Watched): readonly Symptom[] =>
  Object.entries(functions).flatMap(([name, lambda]): Symptom[] => {
    // Without an invocation there is no data; where that is a fault, another alarm says so.
    const common = { threshold: 1, periods: 5, breaches: 3, missing: nothingHappened } as const;
    return [
      {
        ...common,
        name: `${name}-errors`,
        meaning: `Invocations of the ${name} function fail. Jobs that fail do not count here, so that each is a crash.`,
        runbook: 'a-function-fails',
        metric: lambda.metricErrors({ ...minute, statistic: Stats.SUM }),
      },
      {
        ...common,
        name: `${name}-throttles`,
        meaning: `Lambda refuses to run the ${name} function: the account's concurrency is used up.`,
        runbook: 'a-function-is-throttled',
        metric: lambda.metricThrottles({ ...minute, statistic: Stats.SUM }),
      },
    ];
  });
