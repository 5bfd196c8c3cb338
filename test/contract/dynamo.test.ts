import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DynamoDBClient,
  GetItemCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { inject } from 'vitest';
import { DynamoJobStore } from '#adapters/dynamo-job-store.ts';
import { DynamoReconcilerMemory } from '#adapters/dynamo-reconciler-memory.ts';
import { DynamoSlotRegistry } from '#adapters/dynamo-slot-registry.ts';
import { attributeNames, SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { systemRandom } from '#adapters/system-world.ts';
import { localLimits } from '#core/limits.ts';
import { describeSchema } from '#test/support/describe-schema.ts';
import { connectionTo } from '#test/support/workers/place.ts';
import { describeJobQueue } from './job-queue.ts';
import { describeJobStore } from './job-store.ts';
import { describeReconcilerMemory } from './reconciler-memory.ts';
import { describeSlotRegistry } from './slot-registry.ts';
import type { QueueUnderTest } from './subjects.ts';

/*
 * The suites of the doubles, against the real adapters and the emulator. Each test has tables and queues of its own, with
 * the schema of those that the stack has deployed. MappingSwitch has no part in it: its mapping feeds the deployed
 * consumer, which the system tests need running.
 */
const outputs = inject('localOutputs');
const { jobsTableName, ledgerTableName } = outputs;
const connection = connectionTo(outputs);
const dynamo = new DynamoDBClient(connection);
const sqs = new SQSClient(connection);

/** The same client, but it loses the first answer to each call and makes the call again, as after a broken connection. */
const repeatingClient = (between: () => Promise<void>): DynamoDBClient => {
  const client = new DynamoDBClient(connection);
  client.middlewareStack.add(
    (next) => async (args) => {
      // An answer that says "refused" is lost like any other.
      await next(args).catch(() => undefined);
      await between();
      return next(args);
    },
    { step: 'finalizeRequest', priority: 'low', name: 'loseFirstAnswer' },
  );
  return client;
};

const schemas = new Map<string, Promise<CreateTableCommandInput>>();

const schemaOf = (tableName: string): Promise<CreateTableCommandInput> => {
  const known = schemas.get(tableName) ?? describeSchema(dynamo, tableName);
  schemas.set(tableName, known);
  return known;
};

const freshTable = async (like: string): Promise<string> => {
  const TableName = `contract-${systemRandom.hex(8)}`;
  await dynamo.send(new CreateTableCommand({ ...(await schemaOf(like)), TableName }));
  await waitUntilTableExists({ client: dynamo, maxWaitTime: 30, minDelay: 1 }, { TableName });
  return TableName;
};

const freshConfig = async () => {
  const [jobsTable, ledger] = await Promise.all([freshTable(jobsTableName), freshTable(ledgerTableName)]);
  return { client: dynamo, jobsTable, jobTables: { ledger }, random: systemRandom };
};

describeJobStore(
  'DynamoJobStore',
  async () => {
    const config = await freshConfig();
    return {
      store: new DynamoJobStore(config),
      repeating: (between = async () => undefined) =>
        new DynamoJobStore({ ...config, client: repeatingClient(between) }),
      ledgerItem: async (account) => {
        const Key = { account: { S: account } };
        const { Item } = await dynamo.send(
          new GetItemCommand({ TableName: config.jobTables.ledger, Key, ConsistentRead: true }),
        );
        return Item && unmarshall(Item);
      },
    };
  },
  60,
);

describeSlotRegistry('DynamoSlotRegistry', async () => {
  const config = await freshConfig();
  const client = repeatingClient(async () => undefined);
  return { registry: new DynamoSlotRegistry(config), repeating: () => new DynamoSlotRegistry({ ...config, client }) };
});

describeReconcilerMemory('DynamoReconcilerMemory', async () => ({
  memory: new DynamoReconcilerMemory(await freshConfig()),
}));

const freshQueue = async (attributes: Record<string, string>) => {
  const QueueName = `contract-${systemRandom.hex(8)}`;
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  return QueueUrl;
};

const freshQueues = async (): Promise<QueueUnderTest> => {
  const maxReceiveCount = localLimits.attemptsMax;
  const deadLetterQueueUrl = await freshQueue({});
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: deadLetterQueueUrl, AttributeNames: ['QueueArn'] }),
  );
  const RedrivePolicy = JSON.stringify({ deadLetterTargetArn: Attributes?.QueueArn, maxReceiveCount });
  const QueueUrl = await freshQueue({ VisibilityTimeout: '600', RedrivePolicy });
  return {
    queue: new SqsJobQueue({ client: sqs, queueUrl: QueueUrl, deadLetterQueueUrl }),
    maxReceiveCount,
    receive: async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
          MessageAttributeNames: ['All'],
        }),
      );
      return Messages.map((message) => ({
        messageId: message.MessageId ?? '',
        receipt: message.ReceiptHandle ?? '',
        body: message.Body ?? '',
        receiveCount: Number(message.Attributes?.ApproximateReceiveCount),
        suspectPutOffs: Number(message.MessageAttributes?.[attributeNames.putOffs]?.StringValue ?? 0),
      }));
    },
    acknowledge: async (receipt) => {
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: receipt }));
    },
    sendRaw: async (body) => {
      await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: body }));
    },
  };
};

describeJobQueue('SqsJobQueue', freshQueues);
