import { BatchGetItemCommand, ConditionalCheckFailedException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { Unavailable } from '#core/failure.ts';
import type { FinalJob, Job } from '#core/job.ts';
import type { Random } from '#functions/ports.ts';
import { fromItem, type Item } from './job-item.ts';

export interface DynamoConfig {
  readonly client: DynamoDBClient;
  readonly jobsTable: string;
  /** Real names of the tables that handlers write to, by their logical names. */
  readonly jobTables: Readonly<Record<string, string>>;
  readonly random: Random;
}

/** Payload items, slots and strays share the table; ids with other forms than 32 hex digits are never jobs. */
export const payloadId = (token: string): string => `payload#${token}`;

export const jobOf = (item: Item | undefined): Job | undefined =>
  item?.['state']?.S === undefined ? undefined : fromItem(item);

export const isOwn = (item: Item | undefined, writer: string): boolean => item?.['writer']?.S === writer;

/** What the refused condition saw; any other error is thrown on. */
export const refused = (error: unknown): { item: Item | undefined; job: Job | undefined } => {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return { item: error.Item, job: jobOf(error.Item) };
};

const batchTriesMax = 5;

/** Consistent reads of at most 100 items. DynamoDB may leave some unprocessed; those are asked for again, bounded. */
export const batchGet = async (config: DynamoConfig, ids: readonly string[]): Promise<readonly Item[]> => {
  const items: Item[] = [];
  let keys = [...new Set(ids)].map((id) => ({ id: { S: id } }) as Item);
  for (let tries = 0; keys.length > 0; tries += 1) {
    if (tries === batchTriesMax) throw new Unavailable(`DynamoDB left ${keys.length} keys unprocessed ${tries} times`);
    const { Responses, UnprocessedKeys } = await config.client.send(
      new BatchGetItemCommand({ RequestItems: { [config.jobsTable]: { Keys: keys, ConsistentRead: true } } }),
    );
    items.push(...(Responses?.[config.jobsTable] ?? []));
    keys = UnprocessedKeys?.[config.jobsTable]?.Keys ?? [];
  }
  return items;
};

/** The TTL that a payload item gets when its job ends: the record's own. */
export const payloadTtl = (config: DynamoConfig, token: string, to: FinalJob) => ({
  Update: {
    TableName: config.jobsTable,
    Key: { id: { S: payloadId(token) } },
    UpdateExpression: 'SET #expiresAt = :expiresAt',
    ExpressionAttributeNames: { '#expiresAt': 'expiresAt' },
    ExpressionAttributeValues: { ':expiresAt': { N: String(Math.ceil(to.expiresAt / 1000)) } },
  },
});
