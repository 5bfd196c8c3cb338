import { DeleteMessageBatchCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { vi } from 'vitest';
import { localLimits } from '#core/limits.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';
import { connectionTo } from '../workers/place.ts';
import { outputs } from './stack.ts';

/*
 * The Lambdas' own handlers in this process, against the deployed tables and queues, so that a test can stand between
 * them and the emulator.
 */

/** The environment that the stack gives to the Lambdas, with another endpoint. */
export const stubLambda = (endpoint: string): void => {
  const at = (url: string) => `${endpoint}${new URL(url).pathname}`;
  const variables = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: outputs.region,
    AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
    SLUICE_LIMITS: JSON.stringify(localLimits),
    FAIR_QUEUES: 'true',
    JOBS_TABLE_NAME: outputs.jobsTableName,
    JOB_TABLES: JSON.stringify({ ledger: outputs.ledgerTableName }),
    QUEUE_URL: at(outputs.queueUrl),
    DEAD_LETTER_QUEUE_URL: at(outputs.deadLetterQueueUrl),
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
};

const context = (milliseconds: number): Context =>
  ({ awsRequestId: 'in-process', functionName: 'in-process', getRemainingTimeInMillis: () => milliseconds }) as Context;

type Handle<Event, Result> = (event: Event, context: Context) => Promise<Result>;

export const post = (
  handle: Handle<APIGatewayProxyEvent, APIGatewayProxyResult>,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<APIGatewayProxyResult> => {
  const event = {
    httpMethod: 'POST',
    path,
    resource: path,
    headers: { 'content-type': 'application/json', ...headers },
    multiValueHeaders: {},
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    body: JSON.stringify(body),
    isBase64Encoded: false,
    requestContext: {
      requestId: 'in-process',
      httpMethod: 'POST',
      path,
      identity: { caller: 'in-process', accountId: '000000000000' },
    },
  } as unknown as APIGatewayProxyEvent;
  return handle(event, context(localLimits.apiTimeoutSeconds * 1_000));
};

const sqs = new SQSClient(connectionTo(outputs));

/**
 * One batch, as Lambda's mapping hands it over and acknowledges it, of which so many messages are to be reported as
 * failed. Returns how many were in it.
 */
const deliverBatch = async (handle: Handle<SQSEvent, SQSBatchResponse>, failures = 0): Promise<number> => {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: outputs.queueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return 0;
  const Records = Messages.map((message) => ({
    messageId: message.MessageId,
    receiptHandle: message.ReceiptHandle,
    body: message.Body,
    attributes: message.Attributes,
    messageAttributes: {},
    eventSource: 'aws:sqs',
  }));
  const event = { Records } as unknown as SQSEvent;
  const { batchItemFailures } = await handle(event, context(localLimits.consumerTimeoutSeconds * 1_000));
  if (batchItemFailures.length !== failures) throw new Error(`${batchItemFailures.length} messages failed`);
  const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
  const Entries = Messages.filter(({ MessageId = '' }) => !failed.has(MessageId)).map(({ ReceiptHandle }, i) => ({
    Id: String(i),
    ReceiptHandle,
  }));
  if (Entries.length > 0) await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: outputs.queueUrl, Entries }));
  return Messages.length;
};

const deliverSecondsMax = 30;

/** Batches until so many messages have been handled, however few SQS hands over at a time. */
export const deliverAll = async (
  handle: Handle<SQSEvent, SQSBatchResponse>,
  messages: number,
  failures = 0,
): Promise<void> => {
  const deadline = Date.now() + deliverSecondsMax * 1_000;
  for (let left = messages; left > 0; left -= await deliverBatch(handle, failures)) {
    if (Date.now() > deadline) throw new Error(`${left} of ${messages} messages did not come`);
  }
};
