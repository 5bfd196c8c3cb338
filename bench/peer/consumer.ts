import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { Context, SQSEvent, SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { variable } from './environment.ts';
import { type Message, message } from './job.ts';

/** "Integrating with Idempotency" in the documentation of Powertools' batch processing. */
const logger = new Logger();
const metrics = new Metrics();
const dynamo = new DynamoDBClient({});
const processor = new BatchProcessor(EventType.SQS);
const config = new IdempotencyConfig({ eventKeyJmesPath: 'id', throwOnNoIdempotencyKey: true });

const run = makeIdempotent(
  async ({ id, payload }: Message) => {
    await dynamo.send(
      new UpdateItemCommand({
        TableName: variable('LEDGER_TABLE'),
        Key: { account: { S: payload.account } },
        UpdateExpression: 'ADD #total :amount, #writes :one',
        ExpressionAttributeNames: { '#total': 'total', '#writes': 'writes' },
        ExpressionAttributeValues: { ':amount': { N: String(payload.amount) }, ':one': { N: '1' } },
      }),
    );
    const result = { credited: payload.amount };
    await dynamo.send(
      new UpdateItemCommand({
        TableName: variable('STATUS_TABLE'),
        Key: { id: { S: id } },
        UpdateExpression: 'SET #state = :state, #result = :result, #updatedAt = :now',
        ExpressionAttributeNames: { '#state': 'state', '#result': 'result', '#updatedAt': 'updatedAt' },
        ExpressionAttributeValues: {
          ':state': { S: 'succeeded' },
          ':result': { S: JSON.stringify(result) },
          ':now': { N: String(Date.now()) },
        },
      }),
    );
    logger.info('JobsSucceeded', { jobId: id });
    metrics.addMetric('JobsSucceeded', MetricUnit.Count, 1);
    return result;
  },
  {
    config,
    persistenceStore: new DynamoDBPersistenceLayer({
      tableName: variable('IDEMPOTENCY_TABLE'),
      awsSdkV3Client: dynamo,
    }),
  },
);

const handleRecord = async (record: SQSRecord): Promise<void> => {
  await run(z.parse(message, JSON.parse(record.body)));
};

export const handler = async (event: SQSEvent, context: Context) => {
  logger.addContext(context);
  config.registerLambdaContext(context);
  try {
    return await processPartialResponse(event, handleRecord, processor, { context, throwOnFullBatchFailure: false });
  } finally {
    metrics.publishStoredMetrics();
  }
};
