import type { Template } from 'aws-cdk-lib/assertions';
import { resourcesOf } from './synthesize.ts';

/** A metric as a template names it, of an alarm or of the dashboard. Expressions are left out. */
export interface NamedMetric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, unknown>>;
}

export interface TemplateAlarm {
  readonly name: string;
  readonly description: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's shapes; a test names what it expects in them.
  readonly properties: any;
  readonly metrics: readonly NamedMetric[];
}

type TemplateDimensions = readonly { readonly Name: string; readonly Value: unknown }[];

const namedMetric = (metric: {
  Namespace: string;
  MetricName: string;
  Dimensions?: TemplateDimensions;
}): NamedMetric => ({
  namespace: metric.Namespace,
  name: metric.MetricName,
  dimensions: Object.fromEntries((metric.Dimensions ?? []).map(({ Name, Value }) => [Name, Value])),
});

/** All alarms of a stack, with the metrics under their expressions. */
export const alarmsOf = (template: Template): readonly TemplateAlarm[] =>
  Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties: properties }) => ({
    name: properties.AlarmName,
    description: properties.AlarmDescription,
    properties,
    metrics:
      properties.Metrics === undefined
        ? [namedMetric(properties)]
        : properties.Metrics.flatMap((query: { MetricStat?: { Metric: Parameters<typeof namedMetric>[0] } }) =>
            query.MetricStat === undefined ? [] : [namedMetric(query.MetricStat.Metric)],
          ),
  }));

/** A widget of the dashboard, as CloudWatch reads it. */
export interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: { readonly title?: string; readonly markdown?: string; readonly metrics?: unknown[][] };
}

/** The widgets of the one dashboard; what only a deployment knows, such as a queue's name, stands as `${logical id}`. */
export const widgetsOf = (template: Template): readonly Widget[] => {
  const [dashboard] = Object.values(resourcesOf(template, 'AWS::CloudWatch::Dashboard'));
  const parts: readonly unknown[] = dashboard?.Properties.DashboardBody['Fn::Join'][1];
  const body = parts.map((part) => (typeof part === 'string' ? part : `\${${placeholder(part)}}`)).join('');
  return JSON.parse(body).widgets;
};

const placeholder = (token: unknown): string => {
  const [value] = Object.values(token as Record<string, string | readonly string[]>);
  return typeof value === 'string' ? value : String(value?.[0]);
};

/** The metrics that a widget draws: `[namespace, name, dimension, value, …, options]` each. */
export const drawnBy = ({ properties: { metrics = [] } }: Widget): readonly NamedMetric[] =>
  metrics.map((row) => {
    const [namespace, name, ...rest] = row.filter((part) => typeof part === 'string');
    const pairs = Array.from({ length: rest.length / 2 }, (_, i) => [rest[2 * i], rest[2 * i + 1]]);
    return { namespace: String(namespace), name: String(name), dimensions: Object.fromEntries(pairs) };
  });
