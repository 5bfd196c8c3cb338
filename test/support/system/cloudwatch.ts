import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { AwsClient } from 'aws4fetch';
import { lambda, outputs } from './stack.ts';

/*
 * CloudWatch by signed calls in its JSON protocol: its SDK client is no dependency of ours, and three calls do not make
 * it one.
 */
const aws = new AwsClient({
  accessKeyId: 'test',
  secretAccessKey: 'test',
  region: outputs.region,
  service: 'monitoring',
});

const call = async <Answer>(operation: string, input: object): Promise<Answer> => {
  const response = await aws.fetch(outputs.endpointUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
    },
    body: JSON.stringify(input),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`CloudWatch answered ${operation} with ${response.status}: ${text}`);
  return JSON.parse(text === '' ? '{}' : text);
};

/** An alarm that is deployed, as far as tests look at it. */
export interface DeployedAlarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly StateValue: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: string }[];
  readonly ComparisonOperator: string;
  readonly Threshold: number;
}

/** The stack's name, which its alarms' names and its dashboard begin with. */
export const stackName = outputs.consumerFunctionName.replace(/-consumer$/, '');

export const deployedAlarms = async (): Promise<readonly DeployedAlarm[]> => {
  const input = { AlarmNamePrefix: `${stackName}-`, MaxRecords: 100 };
  return (await call<{ MetricAlarms: DeployedAlarm[] }>('DescribeAlarms', input)).MetricAlarms;
};

/** Puts one value of exactly the metric that the alarm watches. */
export const putFor = async (alarm: DeployedAlarm, Value: number): Promise<void> => {
  const { Namespace, MetricName, Dimensions } = alarm;
  await call('PutMetricData', { Namespace, MetricData: [{ MetricName, Dimensions, Value }] });
};

export const dashboardBody = async (): Promise<string> =>
  (await call<{ DashboardBody: string }>('GetDashboard', { DashboardName: stackName })).DashboardBody;

const logs = new CloudWatchLogsClient({
  endpoint: outputs.endpointUrl,
  region: outputs.region,
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/** The lines in embedded metric format that a function has written since a time (epoch ms). */
export const metricLines = async (
  FunctionName: string,
  startTime: number,
): Promise<readonly Record<string, unknown>[]> => {
  const { LoggingConfig } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const logGroupName = LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
  const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName, startTime, limit: 10_000 }));
  // The emulator's filter patterns let everything through.
  return events.flatMap(({ message = '' }) => (message.includes('"_aws"') ? [JSON.parse(message)] : []));
};
