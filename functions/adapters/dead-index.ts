import {
  ConditionalCheckFailedException,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { Job, StrayReason } from '#core/job.ts';
import type { DeadEntry, DeadFilter, DeadPage, DeadQuery, Stray, StrayState } from '#functions/ports.ts';
import { type BucketedIndex, type IndexEntry, readIndex } from './bucketed-index.ts';
import { deadBucket, deadBucketNames, type Item } from './job-item.ts';
import { batchGet, type DynamoConfig, isOwn, jobOf } from './jobs-table.ts';

/** The sparse index of the dead: jobs by when they died, strays by when they were received. */
const deadIndex: BucketedIndex = {
  indexName: 'dead',
  bucketAttribute: 'deadBucket',
  sortAttribute: 'diedAt',
  buckets: deadBucketNames,
};

/** Entries that one call reads from the index at most; filters may discard many, and the page is then short. */
const examinedMax = 500;

export const listDead = async (config: DynamoConfig, query: DeadQuery): Promise<DeadPage> => {
  const { after: from = 0, before = Number.MAX_SAFE_INTEGER } = query.filter;
  const { order, limit, after } = query;
  const chosen: IndexEntry[] = [];
  let examined = 0;
  let position = after;
  const entries = readIndex(config, deadIndex, { order, from, to: before - 1, after, limit, examinedMax });
  for await (const entry of entries) {
    examined += 1;
    position = entry.position;
    if (matches(entry, query)) chosen.push(entry);
    if (chosen.length === limit) break;
  }
  const more = chosen.length === limit || examined === examinedMax;
  return { entries: await load(config, chosen), ...(more && { next: position }) };
};

const matches = ({ item }: IndexEntry, { filter, strays }: DeadQuery): boolean => {
  const isStray = item['stray'] !== undefined;
  if (isStray && !strays) return false;
  return (
    fits(filter.reason, item['reasonCode']?.S) &&
    fits(filter.type, item['type']?.S) &&
    fits(filter.tenant, item['scope']?.S)
  );
};

const fits = (wanted: DeadFilter['reason' | 'type' | 'tenant'], found: string | undefined): boolean =>
  wanted === undefined || wanted === found;

/** The index lags behind the table and does not hold whole records: what the table says counts. */
const load = async (config: DynamoConfig, chosen: readonly IndexEntry[]): Promise<readonly DeadEntry[]> => {
  if (chosen.length === 0) return [];
  const items = await batchGet(
    config,
    chosen.map((entry) => entry.id),
  );
  const byId = new Map(items.map((item) => [item['id']?.S, item]));
  return chosen.flatMap(({ id, position }): DeadEntry[] => {
    const item = byId.get(id);
    if (item === undefined) return [];
    if (item['stray'] !== undefined) {
      return item['deadBucket'] === undefined ? [] : [{ kind: 'stray', stray: strayOf(item), position }];
    }
    const job = jobOf(item);
    return job !== undefined && isDead(job) ? [{ kind: 'job', job, position }] : [];
  });
};

const isDead = (job: Job): job is Job & { state: 'dead' } => job.state === 'dead';

export const countDead = async (config: DynamoConfig, max: number): Promise<number> => {
  const counts = await Promise.all(deadBucketNames.map((name) => countBucket(config, name, max)));
  return Math.min(
    max,
    counts.reduce((sum, n) => sum + n, 0),
  );
};

const countBucket = async (config: DynamoConfig, bucket: string, max: number): Promise<number> => {
  let count = 0;
  let startKey: Item | undefined;
  do {
    const page = await config.client.send(
      new QueryCommand({
        TableName: config.jobsTable,
        IndexName: 'dead',
        Select: 'COUNT',
        KeyConditionExpression: '#bucket = :bucket',
        ExpressionAttributeNames: { '#bucket': 'deadBucket' },
        ExpressionAttributeValues: { ':bucket': { S: bucket } },
        ...(startKey && { ExclusiveStartKey: startKey }),
      }),
    );
    count += page.Count ?? 0;
    startKey = page.LastEvaluatedKey;
  } while (startKey !== undefined && count < max);
  return count;
};

const strayOf = (item: Item): Stray => ({
  id: item['id']?.S ?? '',
  reason: (item['reasonCode']?.S ?? 'unreadable') as StrayReason,
  receivedAt: Number(item['diedAt']?.N),
});

export const recordStray = async (config: DynamoConfig, stray: Stray): Promise<boolean> => {
  const writer = config.random.hex(6);
  try {
    await config.client.send(
      new PutItemCommand({
        TableName: config.jobsTable,
        Item: {
          id: { S: stray.id },
          stray: { BOOL: true },
          reasonCode: { S: stray.reason },
          diedAt: { N: String(stray.receivedAt) },
          deadBucket: { S: deadBucket(stray.id) },
          writer: { S: writer },
        },
        ConditionExpression: 'attribute_not_exists(#id)',
        ExpressionAttributeNames: { '#id': 'id' },
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return isOwn(error.Item, writer);
    throw error;
  }
};

/** A discarded stray has left the index and only waits for its message to be deleted. */
export const readStrays = async (
  config: DynamoConfig,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StrayState>> => {
  const items = ids.length === 0 ? [] : await batchGet(config, ids);
  return new Map(
    items.map((item) => [
      item['id']?.S ?? '',
      item['deadBucket'] === undefined ? ('discarded' as const) : ('kept' as const),
    ]),
  );
};

/** The record stays until its TTL, so that the sweep knows to delete the message; it only leaves the index. */
export const discardStray = async (config: DynamoConfig, id: string, expiresAt: number): Promise<boolean> => {
  try {
    await config.client.send(
      new UpdateItemCommand({
        TableName: config.jobsTable,
        Key: { id: { S: id } },
        UpdateExpression: 'SET #expiresAt = :expiresAt REMOVE #bucket',
        ConditionExpression: 'attribute_exists(#stray) AND attribute_exists(#bucket)',
        ExpressionAttributeNames: { '#expiresAt': 'expiresAt', '#bucket': 'deadBucket', '#stray': 'stray' },
        ExpressionAttributeValues: { ':expiresAt': { N: String(Math.ceil(expiresAt / 1000)) } },
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false;
    throw error;
  }
};
