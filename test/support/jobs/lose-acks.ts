import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { ChangeMessageVisibilityCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { parseMessage } from '#core/message.ts';
import { readConsumerEnv } from '#functions/env.ts';

type Handler = (event: SQSEvent, context: Context) => Promise<SQSBatchResponse>;

/**
 * Loses acknowledgements as `loseAck` tells: after the consumer has handled its batch, a record whose effect is
 * committed is reported as failed all the same and comes back after the first wait. The real consumer is untouched.
 */
export const losingAcks = (handle: Handler): Handler => {
  const dynamo = new DynamoDBClient({});
  const sqs = new SQSClient({});
  return async (event, context) => {
    const response = await handle(event, context);
    const failed = new Set(response.batchItemFailures.map((failure) => failure.itemIdentifier));
    const lost = await Promise.all(
      event.Records.filter((record) => !failed.has(record.messageId)).map((record) => loseOne(dynamo, sqs, record)),
    );
    return { batchItemFailures: [...response.batchItemFailures, ...lost.flat()] };
  };
};

const loseOne = async (dynamo: DynamoDBClient, sqs: SQSClient, record: SQSRecord) => {
  const env = readConsumerEnv();
  const parsed = parseMessage(record.body);
  if (!parsed.ok) return [];
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: env.JOBS_TABLE_NAME, Key: { id: { S: parsed.message.id } }, ConsistentRead: true }),
  );
  if (Item?.['type']?.S !== 'test.scripted' || Item['state']?.S !== 'succeeded') return [];
  const { loseAck = 0 } = JSON.parse(Item['payload']?.S ?? '{}') as { loseAck?: number };
  // The receive that committed the effect is the job's last start; every one since then came after a loss.
  const receives = Number(record.attributes.ApproximateReceiveCount) - Number(Item['attempt']?.N ?? 1);
  if (receives >= loseAck) return [];
  const waitSeconds = env.SLUICE_LIMITS.waitBaseSeconds;
  await sqs.send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: env.QUEUE_URL,
      ReceiptHandle: record.receiptHandle,
      VisibilityTimeout: waitSeconds,
    }),
  );
  console.info(JSON.stringify({ message: 'AckLost', jobId: parsed.message.id, waitSeconds, receive: receives + 1 }));
  return [{ itemIdentifier: record.messageId }];
};
