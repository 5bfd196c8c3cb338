import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { connectionTo } from '../workers/place.ts';
import { cloudWatchOf, stackNameOf } from './cloudwatch-call.ts';
import { lambda, outputs } from './stack.ts';

const call = cloudWatchOf(outputs);

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

export const stackName = stackNameOf(outputs);

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

const logs = new CloudWatchLogsClient(connectionTo(outputs));

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
