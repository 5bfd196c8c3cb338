import { randomBytes } from 'node:crypto';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DeleteLogGroupCommand,
  FilterLogEventsCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  ChangeMessageVisibilityCommand,
  CreateQueueCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { until } from '../../../localstack/demo/stage.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';
import { ApiClient } from '../system/client.ts';
import { cloudWatchOf, stackNameOf } from '../system/cloudwatch-call.ts';
import type { Capability, Lacking } from './capabilities.ts';

type Probe = (outputs: LocalOutputs) => Promise<boolean>;

const waitSeconds = 30;
const ended = new Set(['succeeded', 'dead']);

/** A job that hangs for a second holds its batch up. One that is submitted meanwhile ends before it, or behind it. */
const parallelBatches: Probe = async ({ apiUrl }) => {
  const api = new ApiClient(apiUrl);
  const run = randomBytes(6).toString('hex');
  const payload = { account: `probe-${run}`, amount: 1 };
  const stateOf = async (id: string): Promise<string> => (await api.job(id)).body.state;
  const slow = (await api.submit(`${run}.slow`, 'test.scripted', { ...payload, hangSeconds: 1 })).body.id;
  await until(
    'the probe’s first job is running',
    waitSeconds,
    () => stateOf(slow),
    (state) => state !== 'queued',
  );
  const quick = (await api.submit(`${run}.quick`, 'ledger.credit', payload)).body.id;
  const [, slowMeanwhile] = await until(
    'the probe’s second job has ended',
    waitSeconds,
    async () => [await stateOf(quick), await stateOf(slow)] as const,
    ([state]) => ended.has(state),
  );
  await until(
    'the probe’s first job has ended',
    waitSeconds,
    () => stateOf(slow),
    (state) => ended.has(state),
  );
  return slowMeanwhile === 'running';
};

/** Makes a message visible by its receipt, receives it again, and tries the first receipt once more. */
const receiptsExpire: Probe = async ({ endpointUrl: endpoint, region }) => {
  const sqs = new SQSClient({ endpoint, region, credentials: emulatorCredentials });
  const { QueueUrl } = await sqs.send(
    new CreateQueueCommand({
      QueueName: `probe-${randomBytes(6).toString('hex')}`,
      Attributes: { VisibilityTimeout: '60' },
    }),
  );
  const receive = () =>
    until(
      'the probe’s message',
      waitSeconds,
      async () => (await sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages?.[0]?.ReceiptHandle,
      (receipt) => receipt !== undefined,
    );
  const show = (ReceiptHandle: string | undefined) =>
    sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
  try {
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'probe' }));
    const first = await receive();
    await show(first);
    await receive();
    return await show(first).then(
      () => false,
      () => true,
    );
  } finally {
    await sqs.send(new DeleteQueueCommand({ QueueUrl }));
    sqs.destroy();
  }
};

/** The gateway itself refuses a request without a signature. */
const gatewayTemplates: Probe = async ({ apiUrl }) => {
  const { body } = await new ApiClient(apiUrl).raw('GET', '/operator/status', { signed: false });
  return body?.code === 'forbidden';
};

/** The stack refuses a method that it does not know in its own words. */
const oddHttp: Probe = async ({ apiUrl }) => {
  const { body } = await new ApiClient(apiUrl).raw('PROPFIND', '/jobs');
  return typeof body?.code === 'string';
};

/** The line that names the probe, and no other, comes back for its text. */
const logFilters: Probe = async ({ endpointUrl: endpoint, region }) => {
  const logs = new CloudWatchLogsClient({ endpoint, region, credentials: emulatorCredentials });
  const logGroupName = `probe-${randomBytes(6).toString('hex')}`;
  const stream = { logGroupName, logStreamName: 'probe' };
  try {
    await logs.send(new CreateLogGroupCommand({ logGroupName }));
    await logs.send(new CreateLogStreamCommand(stream));
    const logEvents = ['one', 'other'].map((message) => ({ message, timestamp: Date.now() }));
    await logs.send(new PutLogEventsCommand({ ...stream, logEvents }));
    const { events = [] } = await logs.send(new FilterLogEventsCommand({ logGroupName, filterPattern: '"other"' }));
    return events.map(({ message }) => message).join() === 'other';
  } finally {
    await logs.send(new DeleteLogGroupCommand({ logGroupName }));
    logs.destroy();
  }
};

/** An alarm of the probe's own rings as soon as its metric is at the threshold. */
const alarmsAtOnce: Probe = async (outputs) => {
  const call = cloudWatchOf(outputs);
  const AlarmName = `probe-${randomBytes(6).toString('hex')}`;
  const metric = { Namespace: AlarmName, MetricName: 'probe' };
  await call('PutMetricAlarm', {
    ...{ AlarmName, ...metric, Statistic: 'Sum', Period: 60, EvaluationPeriods: 1 },
    ...{ Threshold: 1, ComparisonOperator: 'GreaterThanOrEqualToThreshold' },
  });
  try {
    await call('PutMetricData', { Namespace: AlarmName, MetricData: [{ MetricName: 'probe', Value: 1 }] });
    const { MetricAlarms } = await call<{ MetricAlarms: { StateValue: string }[] }>('DescribeAlarms', {
      AlarmNames: [AlarmName],
    });
    return MetricAlarms[0]?.StateValue === 'ALARM';
  } finally {
    await call('DeleteAlarms', { AlarmNames: [AlarmName] });
  }
};

const dashboards: Probe = (outputs) =>
  cloudWatchOf(outputs)('GetDashboard', { DashboardName: stackNameOf(outputs) }).then(
    () => true,
    () => false,
  );

const probes: Readonly<Record<Capability, Probe>> = {
  'parallel-batches': parallelBatches,
  'receipts-expire': receiptsExpire,
  'gateway-templates': gatewayTemplates,
  'odd-http': oddHttp,
  'log-filters': logFilters,
  'alarms-at-once': alarmsAtOnce,
  dashboards,
};

/** Finds out what the engine lacks by trying it; some seconds. The stack must be idle. */
export const probeEngine = async (outputs: LocalOutputs): Promise<Lacking> => {
  const lacking: Partial<Record<Capability, true>> = {};
  for (const [capability, holds] of Object.entries(probes) as [Capability, Probe][]) {
    if (!(await holds(outputs))) lacking[capability] = true;
  }
  return lacking;
};
