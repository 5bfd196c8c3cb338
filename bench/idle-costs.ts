import { dollarsPerLambdaGigabyteSecond, dollarsPerMillion, idlePrices as price } from '../operator/plan/prices.ts';

/** As much of a template as costs follow from. */
export interface PricedTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;
}
interface Properties {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
  readonly MemorySize?: number;
  readonly RetentionInDays?: number;
  readonly TracingConfig?: { readonly Mode?: string };
}

/** One line of the bill of a month. */
export interface CostLine {
  readonly what: string;
  readonly units: number;
  readonly dollars: number;
}

/**
 * What one run of the reconciler does when there is nothing to do, as `test/system/idle.test.ts` counts it, for a registry
 * of so many shards. Log bytes and time are assumptions on the high side: the emulator's are not those of AWS.
 */
export const idleRun = {
  metrics: 6,
  readUnits: (shards: number) => shards + 2,
  writeUnits: 2,
  sqsRequests: 4,
  logBytes: 4_000,
  seconds: 0.3,
} as const;

/** A month as price lists have it. */
const hours = 730;
const runs = hours * 60;
/** Lambda keeps five long polls of 20 s open on a quiet queue ("Using Lambda with Amazon SQS"). */
const polls = (hours * 3_600 * 5) / 20;
/** DynamoDB asks for a table's key anew every five minutes in which the table is used. */
const keyRequests = (hours * 60) / 5;

/** Types that cost nothing by themselves, or only with each request, message or byte. */
const freeTypes = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Permission',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
];
/** Types whose costs the lines below hold. */
const pricedTypes = [
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::DynamoDB::Table',
  'AWS::Events::Rule',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Logs::LogGroup',
];

/**
 * The monthly bill of a stack that nobody uses, line by line, for a registry of so many shards. Throws when the template
 * has a type of resource of which nothing is known here.
 */
export const idleCosts = (template: PricedTemplate, shards: number): readonly CostLine[] => {
  const resources = Object.entries(template.Resources);
  const unknown = resources
    .map(([, { Type }]) => Type)
    .filter((type) => ![...freeTypes, ...pricedTypes].includes(type));
  if (unknown.length > 0) throw new Error(`Nothing is known of the costs of ${[...new Set(unknown)].join(', ')}.`);
  const of = (type: string) => resources.filter(([, { Type }]) => Type === type);
  const alarmMetrics = of('AWS::CloudWatch::Alarm').reduce((sum, [, { Properties }]) => sum + watched(Properties), 0);
  const [, reconcile] = of('AWS::Lambda::Function').find(([id]) => id.startsWith('Reconcile')) ?? [];
  if (reconcile === undefined) throw new Error('The template has no reconciler.');
  const { MemorySize = 128, TracingConfig } = reconcile.Properties ?? {};
  const days = Math.max(...of('AWS::Logs::LogGroup').map(([, { Properties }]) => Properties?.RetentionInDays ?? 0));
  const gigabytes = (runs * idleRun.logBytes) / 1e9;

  const line = (what: string, units: number, each: number): CostLine => ({ what, units, dollars: units * each });
  return [
    line('metrics that alarms watch', alarmMetrics, price.alarmMetricMonth),
    line('dashboards', of('AWS::CloudWatch::Dashboard').length, price.dashboardMonth),
    line('metrics that the reconciler publishes', idleRun.metrics, price.customMetricMonth),
    line(
      "empty receives of the consumer's mapping",
      polls * of('AWS::Lambda::EventSourceMapping').length,
      dollarsPerMillion.sqsRequests / 1e6,
    ),
    line('traces of the reconciler', TracingConfig?.Mode === 'Active' ? runs : 0, price.traceRecorded),
    line('GB-seconds of the reconciler', (runs * idleRun.seconds * MemorySize) / 1_024, dollarsPerLambdaGigabyteSecond),
    line('runs of the reconciler', runs, dollarsPerMillion.lambdaRequests / 1e6),
    line('read units of its runs', runs * idleRun.readUnits(shards), dollarsPerMillion.readUnits / 1e6),
    line('write units of its runs', runs * idleRun.writeUnits, dollarsPerMillion.writeUnits / 1e6),
    line('SQS requests of its runs', runs * idleRun.sqsRequests, dollarsPerMillion.sqsRequests / 1e6),
    line("requests for the job table's key", keyRequests, price.keyRequest),
    line('GB of logs, written', gigabytes, price.logGigabyteIngested),
    line('GB of logs, kept', (gigabytes * days) / 30, price.logGigabyteMonth),
  ];
};

/** An alarm is paid by the metrics that it watches: those that it computes with, or its one. */
const watched = (properties: Properties | undefined): number =>
  properties?.Metrics?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;

/** The bill as a table in Markdown, with its sum. */
export const costTable = (lines: readonly CostLine[]): string => {
  const total = lines.reduce((sum, { dollars }) => sum + dollars, 0);
  const rows = lines.map(
    ({ what, units, dollars }) =>
      `| ${what} | ${units.toLocaleString('en-US', { maximumFractionDigits: 2 })} | ${dollars.toFixed(2)} |`,
  );
  return ['| a month, idle | units | $ |', '|---|---|---|', ...rows, `| **all** | | **${total.toFixed(2)}** |`].join(
    '\n',
  );
};
