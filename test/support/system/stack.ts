import {
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import {
  GetQueueAttributesCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { expect, inject, onTestFinished } from 'vitest';
import type { Report } from '#flow/reconcile.ts';
import { type PeekedMessage, peekQueue } from '../../../localstack/peek.ts';
import { connectionTo } from '../workers/place.ts';
import { ApiClient } from './client.ts';
import { eventually } from './eventually.ts';

/*
 * The deployed stack: its API through `api`, and what lies behind it by the SDK, only to see what became of a job and to
 * bring about what no caller can.
 */
export const outputs = inject('localOutputs');
const connection = connectionTo(outputs);
const dynamo = new DynamoDBClient(connection);
const sqs = new SQSClient(connection);
export const lambda = new LambdaClient(connection);

const callers = inject('callers');

/** The caller that most tests are: a submitter, and for the operators' routes an operator, each with its role's rights. */
export const api = new ApiClient(outputs.apiUrl, (path) =>
  path.startsWith('/operator') ? callers.operator : callers.submitter,
);

/** The account's own root, whom every method and path is open to: for calls that neither role may make. */
export const root = new ApiClient(outputs.apiUrl);

/** The capacity of the local stage, in force at the start of every file. */
export const stageCapacity = 100;

/** Records and slots of every kind lie in one table. */
export const record = async (id: string): Promise<Record<string, unknown> | undefined> => {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: outputs.jobsTableName, Key: { id: { S: id } }, ConsistentRead: true }),
  );
  return Item && unmarshall(Item);
};

/** The records of many jobs; those that do not exist are left out. */
export const records = async (ids: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
  const found: Record<string, unknown>[] = [];
  for (let at = 0; at < ids.length; at += 100) {
    const Keys = ids.slice(at, at + 100).map((id) => ({ id: { S: id } }));
    const { Responses = {} } = await dynamo.send(
      new BatchGetItemCommand({ RequestItems: { [outputs.jobsTableName]: { Keys, ConsistentRead: true } } }),
    );
    found.push(
      ...Object.values(Responses)
        .flat()
        .map((item) => unmarshall(item)),
    );
  }
  return found;
};

/** Changes one item of the jobs table behind the system's back. */
export const tamper = async (
  id: string,
  update: Pick<UpdateItemCommandInput, 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>,
): Promise<void> => {
  await dynamo.send(new UpdateItemCommand({ TableName: outputs.jobsTableName, Key: { id: { S: id } }, ...update }));
};

/** What the ledger says of an account; undefined if nothing was ever credited to it. */
export const ledger = async (account: string): Promise<{ total: number; writes: number } | undefined> => {
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: outputs.ledgerTableName, Key: { account: { S: account } }, ConsistentRead: true }),
  );
  if (Item === undefined) return undefined;
  const { total, writes } = unmarshall(Item);
  return { total, writes };
};

/** The body that the queue carries for a job, made from its record. */
export const messageOf = async (id: string): Promise<string> => {
  const job = await record(id);
  const fingerprint = Buffer.from(job?.['fp'] as Uint8Array).toString('hex');
  return JSON.stringify({ v: 1, id, fingerprint, tenure: job?.['tenure'] });
};

/** One message as anybody with the right to send could write it, with whatever attributes. */
export const sendRaw = async (
  body: string,
  {
    to = outputs.queueUrl,
    delaySeconds = 0,
    attributes = {},
  }: { to?: string; delaySeconds?: number; attributes?: SendMessageCommandInput['MessageAttributes'] } = {},
): Promise<void> => {
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: to,
      MessageBody: body,
      DelaySeconds: delaySeconds,
      MessageAttributes: attributes,
    }),
  );
};

/** Many at once, ten a call. */
export const sendRawAll = async (bodies: readonly string[]): Promise<void> => {
  for (let at = 0; at < bodies.length; at += 10) {
    const Entries = bodies.slice(at, at + 10).map((MessageBody, i) => ({ Id: String(i), MessageBody }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: outputs.queueUrl, Entries }));
  }
};

export const purgeQueue = async (QueueUrl = outputs.queueUrl): Promise<void> => {
  await sqs.send(new PurgeQueueCommand({ QueueUrl }));
};

/** All messages of a queue, hidden ones too, without receiving them. */
export const peek = (queueUrl: string): Promise<readonly PeekedMessage[]> => peekQueue(outputs, queueUrl);

/** The messages in the dead-letter queue that name this job, or hold this text otherwise. */
export const deadLettersOf = async (text: string): Promise<readonly PeekedMessage[]> =>
  (await peek(outputs.deadLetterQueueUrl)).filter((message) => message.body.includes(text));

/** Messages of the main queue, visible or not. */
export const backlog = async (): Promise<number> => {
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: outputs.queueUrl,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesNotVisible',
        'ApproximateNumberOfMessagesDelayed',
      ],
    }),
  );
  return Object.values(Attributes).reduce((sum, count) => sum + Number(count), 0);
};

/** One run of the reconciler, by hand; it waits for a scheduled one that is at work. */
export const reconcile = async (): Promise<Report> => {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: outputs.reconcileFunctionName }),
  );
  const report = JSON.parse(Buffer.from(Payload ?? []).toString());
  expect({ FunctionError, ran: report.ran }).toEqual({ FunctionError: undefined, ran: true });
  return report;
};

export const resumeConsumer = async (): Promise<void> => {
  await eventually(async () => expect((await api.setConsumer('running')).body.consumer).toBe('running'));
};

/** Pauses the consumer until `resumeConsumer`, or else until the test has ended. */
export const pauseConsumer = async (): Promise<void> => {
  onTestFinished(resumeConsumer);
  await eventually(async () => expect((await api.setConsumer('paused')).body.consumer).toBe('paused'));
};

/** Another capacity until the test has ended. */
export const withCapacity = async (capacity: number): Promise<void> => {
  onTestFinished(async () => {
    await api.setCapacity(stageCapacity);
  });
  expect((await api.setCapacity(capacity)).status).toBe(200);
};

/** Waits until no slot is taken and the main queue is empty. */
export const settled = async ({ withinMs = 45_000 } = {}): Promise<void> => {
  await eventually(
    async () => {
      const { inFlight, backlog: messages } = (await api.status()).body;
      expect({ taken: inFlight.total, messages }).toEqual({
        taken: 0,
        messages: { visible: 0, notVisible: 0, delayed: 0 },
      });
    },
    { withinMs },
  );
};

/** Waits until the job is in this state, whoever submitted it, and returns it as its owner sees it. */
// biome-ignore lint/suspicious/noExplicitAny: as for `Answer.body`.
export const jobIn = (id: string, state: string, { withinMs = 30_000 } = {}): Promise<any> =>
  eventually(
    async () => {
      const { body } = await api.operatorJob(id);
      expect(body).toMatchObject({ id, state });
      return body;
    },
    { withinMs },
  );

/** For `beforeAll` of each file: the stage's capacity, a running consumer, and nothing left of the file before. */
export const reset = async (): Promise<void> => {
  await resumeConsumer();
  await api.setCapacity(stageCapacity);
  await settled();
};
