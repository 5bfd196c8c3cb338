import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { DurationName, GaugeName, MetricName, ReasonedMetric, reasonsOf } from '../functions/core/evidence.ts';
import type { JobFunction } from './job-function.ts';
import type { JobQueue } from './job-queue.ts';

/** Everything of a job system that publishes metrics. */
export interface Watched {
  readonly queue: JobQueue;
  readonly functions: {
    readonly api: JobFunction;
    readonly consumer: JobFunction;
    readonly operator: JobFunction;
    readonly reconcile: JobFunction;
  };
  readonly rest: RestApi;
}

/** What all of it is looked at by, unless an alarm says otherwise: CloudWatch keeps standard metrics by the minute. */
export const minute = { period: Duration.minutes(1) } as const;

/**
 * The metrics that the functions publish, under names that the compiler checks against `core/evidence.ts`. All carry one
 * dimension, `service`, which is the system's name: two systems in one account do not count as one.
 */
export class SystemMetrics {
  readonly #service: string;

  constructor(systemName: string) {
    this.#service = systemName;
  }

  /** How often it happened, by the minute. */
  counter(name: MetricName, period = minute.period): Metric {
    return this.#metric(name, Stats.SUM, period);
  }

  /** The same for one reason. The total is a series of its own, not the sum of these. */
  reason<M extends ReasonedMetric>(name: M, code: (typeof reasonsOf)[M][number], period = minute.period): Metric {
    return this.#metric(name, Stats.SUM, period, { reason: code });
  }

  /** What the reconciler saw; the worst of the minute, if it ran more than once. */
  gauge(name: GaugeName): Metric {
    return this.#metric(name, Stats.MAXIMUM, minute.period);
  }

  duration(name: DurationName, percentile: number): Metric {
    return this.#metric(name, Stats.percentile(percentile), minute.period);
  }

  #metric(metricName: string, statistic: string, period: Duration, reason: Record<string, string> = {}): Metric {
    return new Metric({
      namespace: 'Sluice',
      metricName,
      statistic,
      period,
      dimensionsMap: { service: this.#service, ...reason },
    });
  }
}
