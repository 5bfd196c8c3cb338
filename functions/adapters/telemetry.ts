import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { type Evidence, type GaugeName, gaugeUnits, isReasoned } from '#core/evidence.ts';
import type { Telemetry } from '#functions/ports.ts';

/**
 * Evidence as one structured log line and one metric in CloudWatch's embedded metric format. Metrics are gathered and
 * published once an invocation. One with a reason has a line of its own, with two dimension sets: CloudWatch makes the
 * total and the series of the reason out of the one value, so that alarms on the total need no metric math.
 */
export const makeTelemetry = (logger: Logger, metrics: Metrics): Telemetry => ({
  note: ({ metric, jobId, code, level = 'info', took, detail }: Evidence): void => {
    const details = { ...detail, ...(took && { [took.name]: took.milliseconds }) };
    const hasDetails = detail !== undefined || took !== undefined;
    logger[level](metric, { ...(jobId !== undefined && { jobId }), code, ...(hasDetails && { detail: details }) });
    if (isReasoned(metric)) {
      const single = metrics.singleMetric().addDimensions({}).addDimensions({ reason: code });
      single.addMetric(metric, MetricUnit.Count, 1);
    } else metrics.addMetric(metric, MetricUnit.Count, 1);
    if (took) metrics.addMetric(took.name, MetricUnit.Milliseconds, took.milliseconds);
  },
  gauge: (name: GaugeName, value: number): void => {
    metrics.addMetric(name, gaugeUnits[name], value);
  },
});
