import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { byReason, type Evidence, type GaugeName } from '#core/evidence.ts';
import type { Telemetry } from '#functions/ports.ts';

/**
 * Evidence as one structured log line and one metric in CloudWatch's embedded metric format. Metrics are gathered and
 * published once an invocation; those with a reason get it as their dimension, and nothing else is ever a dimension.
 */
export const makeTelemetry = (logger: Logger, metrics: Metrics): Telemetry => ({
  note: ({ metric, jobId, code, level = 'info', detail }: Evidence): void => {
    logger[level](metric, { ...(jobId !== undefined && { jobId }), code, ...(detail && { detail: { ...detail } }) });
    if (byReason.has(metric))
      metrics.singleMetric().addDimension('reason', code).addMetric(metric, MetricUnit.Count, 1);
    else metrics.addMetric(metric, MetricUnit.Count, 1);
  },
  gauge: (name: GaugeName, value: number): void => {
    metrics.addMetric(name, name.endsWith('Seconds') ? MetricUnit.Seconds : MetricUnit.Count, value);
  },
});
