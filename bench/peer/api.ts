import { randomUUID } from 'node:crypto';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { variable } from './environment.ts';
import { type Message, submission } from './job.ts';

/*
 * The ordinary build, as the documentation of Powertools' idempotency shows it: the function that does the work is made
 * idempotent by the caller's key, with the stock persistence layer; clients are made once an instance.
 */
const logger = new Logger();
const metrics = new Metrics();
const dynamo = new DynamoDBClient({});
const sqs = new SQSClient({});
const config = new IdempotencyConfig({
  eventKeyJmesPath: 'key',
  payloadValidationJmesPath: 'request',
  throwOnNoIdempotencyKey: true,
});

interface Submitted {
  readonly key: string;
  readonly request: z.infer<typeof submission>;
}

const submit = makeIdempotent(
  async ({ key, request }: Submitted) => {
    const id = randomUUID();
    const submittedAt = new Date().toISOString();
    await dynamo.send(
      new PutItemCommand({
        TableName: variable('STATUS_TABLE'),
        Item: {
          id: { S: id },
          key: { S: key },
          type: { S: request.type },
          state: { S: 'queued' },
          payload: { S: JSON.stringify(request.payload) },
          submittedAt: { S: submittedAt },
          updatedAt: { N: String(Date.now()) },
        },
      }),
    );
    const message: Message = { id, ...request };
    await sqs.send(new SendMessageCommand({ QueueUrl: variable('QUEUE_URL'), MessageBody: JSON.stringify(message) }));
    logger.info('JobsAccepted', { jobId: id });
    metrics.addMetric('JobsAccepted', MetricUnit.Count, 1);
    return { id, type: request.type, key, state: 'queued', submittedAt };
  },
  {
    config,
    persistenceStore: new DynamoDBPersistenceLayer({
      tableName: variable('IDEMPOTENCY_TABLE'),
      awsSdkV3Client: dynamo,
    }),
  },
);

const answer = (statusCode: number, body: object): APIGatewayProxyResult => ({
  statusCode,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export const handler = async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
  logger.addContext(context);
  config.registerLambdaContext(context);
  const key = Object.entries(event.headers).find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1];
  const request = z.safeParse(submission, JSON.parse(event.body ?? 'null'));
  if (key === undefined || !request.success) return answer(400, { message: 'invalid request' });
  try {
    return answer(202, await submit({ key, request: request.data }));
  } finally {
    metrics.publishStoredMetrics();
  }
};
