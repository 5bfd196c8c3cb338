import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeTelemetry } from '#adapters/telemetry.ts';
import {
  counterNames,
  durationNames,
  type Evidence,
  type GaugeName,
  gaugeUnits,
  isReasoned,
  reasonsOf,
} from '#core/evidence.ts';

const jobId = '0123456789abcdef0123456789abcdef';

interface Published {
  readonly dimensions: readonly (readonly string[])[];
  readonly name: string;
  readonly unit: string;
  readonly values: readonly number[];
  readonly line: Readonly<Record<string, unknown>>;
}

/** The embedded metric format as CloudWatch reads it: one entry a metric that a line defines. */
const publishedBy = (line: Readonly<Record<string, unknown>>): readonly Published[] => {
  const { CloudWatchMetrics: directives } = line['_aws'] as {
    CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string; Unit: string }[] }[];
  };
  return directives.flatMap(({ Namespace, Dimensions: dimensions, Metrics: metrics }) => {
    expect(Namespace).toBe('Sluice');
    return metrics.map(({ Name: name, Unit: unit }) => {
      const values = [line[name]].flat() as number[];
      return { dimensions, name, unit, values, line };
    });
  });
};

describe('telemetry', () => {
  let written = '';

  beforeEach(() => {
    written = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      written += chunk;
      return true;
    });
  });

  afterEach(() => vi.restoreAllMocks());

  const leave = (...evidence: readonly (Evidence | { readonly gauge: GaugeName; readonly value: number })[]) => {
    const metrics = new Metrics({ namespace: 'Sluice', serviceName: 'sluice-test' });
    const telemetry = makeTelemetry(new Logger({ serviceName: 'sluice-test' }), metrics);
    for (const one of evidence) {
      if ('gauge' in one) telemetry.gauge(one.gauge, one.value);
      else telemetry.note(one);
    }
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    const lines: Record<string, unknown>[] = written
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    return {
      logs: lines.filter((line) => !('_aws' in line)),
      metrics: lines.filter((line) => '_aws' in line).flatMap(publishedBy),
    };
  };

  const unreasoned = counterNames.filter((name) => !isReasoned(name)).map((metric) => ({ metric, code: 'any' }));
  const reasoned = Object.entries(reasonsOf).flatMap(([metric, codes]) => codes.map((code) => ({ metric, code })));

  it.each([...unreasoned, ...reasoned])('G10: $metric ($code) leaves one log line and one metric', (noted) => {
    const { logs, metrics } = leave({ ...noted, jobId } as Evidence);
    expect(logs).toEqual([expect.objectContaining({ message: noted.metric, jobId, code: noted.code, level: 'INFO' })]);
    expect(metrics).toEqual([expect.objectContaining({ name: noted.metric, unit: 'Count', values: [1] })]);
    expect(JSON.stringify(metrics)).not.toContain(jobId);
  });

  it('counts by the stack alone, and those with a reason by the reason too', () => {
    const { metrics } = leave(
      { metric: 'JobsAccepted', jobId, code: 'accepted' },
      { metric: 'JobsDead', jobId, code: 'worker-lost' },
    );
    const dimensionsOf = (name: string) => metrics.filter((metric) => metric.name === name);
    expect(dimensionsOf('JobsAccepted')).toEqual([expect.objectContaining({ dimensions: [['service']] })]);
    expect(dimensionsOf('JobsDead')).toEqual([
      expect.objectContaining({
        dimensions: [['service'], ['service', 'reason']],
        line: expect.objectContaining({ service: 'sluice-test', reason: 'worker-lost' }),
      }),
    ]);
  });

  it('gathers an invocation’s counts into one line, and keeps reasons apart', () => {
    const { metrics } = leave(
      { metric: 'AttemptsStarted', code: 'started', took: { name: 'QueueTime', milliseconds: 20 } },
      { metric: 'AttemptsStarted', code: 'started', took: { name: 'QueueTime', milliseconds: 30 } },
      { metric: 'PutOffs', code: 'too-early' },
      { metric: 'PutOffs', code: 'running' },
    );
    expect(metrics.map(({ name, values, line }) => [name, values, line['reason']])).toEqual([
      ['PutOffs', [1], 'too-early'],
      ['PutOffs', [1], 'running'],
      ['AttemptsStarted', [1, 1], undefined],
      ['QueueTime', [20, 30], undefined],
    ]);
  });

  it.each(durationNames)('measures %s in milliseconds, beside the count of its step', (name) => {
    const { logs, metrics } = leave({
      metric: 'JobsDead',
      code: 'permanent-error',
      took: { name, milliseconds: 1_234 },
    });
    expect(logs).toEqual([expect.objectContaining({ detail: { [name]: 1_234 } })]);
    expect(metrics.find((metric) => metric.name === name)).toMatchObject({
      unit: 'Milliseconds',
      values: [1_234],
      dimensions: [['service']],
    });
  });

  it.each(Object.entries(gaugeUnits))('sets the gauge %s in the unit %s', (gauge, unit) => {
    const { logs, metrics } = leave({ gauge: gauge as GaugeName, value: 7 });
    expect(logs).toEqual([]);
    expect(metrics).toEqual([expect.objectContaining({ name: gauge, unit, values: [7], dimensions: [['service']] })]);
  });
});
