import {
  ConditionalCheckFailedException,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
} from '@aws-sdk/client-dynamodb';
import type { Job, StrayReason } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import type { DeadEntry, DeadFilter, DeadPage, DeadQuery, Stray, StrayState } from '#functions/ports.ts';
import { deadBucket, deadBucketNames, type Item } from './job-item.ts';
import { batchGet, type DynamoConfig, isOwn, jobOf } from './jobs-table.ts';

/**
 * The sparse index of the dead, spread over a few buckets, each sorted by `diedAt`. A position holds, for each bucket,
 * the last index entry that was consumed, so that going on is exact even among entries of one millisecond.
 */
type Consumed = { readonly id: string; readonly at: number } | null;
type Position = readonly Consumed[];

interface IndexEntry {
  readonly bucket: number;
  readonly id: string;
  readonly at: number;
  readonly item: Item;
}

/** Entries that one call reads from the index at most; filters may discard many, and the page is then short. */
const examinedMax = 500;

export const listDead = async (config: DynamoConfig, query: DeadQuery): Promise<DeadPage> => {
  const { after = 0, before = Number.MAX_SAFE_INTEGER } = query.filter;
  // DynamoDB refuses a BETWEEN whose ends are the wrong way round.
  if (before <= after) return { entries: [] };
  const position: Consumed[] = [
    ...(query.after === undefined ? deadBucketNames.map(() => null) : parsePosition(query.after)),
  ];
  const readers = deadBucketNames.map((_, bucket) => bucketReader(config, query, bucket, position[bucket] ?? null));
  const chosen: { entry: IndexEntry; position: string }[] = [];
  let examined = 0;
  let more = true;
  while (chosen.length < query.limit && examined < examinedMax) {
    const next = await nearest(readers, query.order);
    if (next === undefined) {
      more = false;
      break;
    }
    examined += 1;
    position[next.bucket] = { id: next.id, at: next.at };
    if (matches(next, query)) chosen.push({ entry: next, position: JSON.stringify(position) });
  }
  const entries = await load(config, chosen);
  return { entries, ...(more && { next: JSON.stringify(position) }) };
};

type Reader = { peek: () => Promise<IndexEntry | undefined>; take: () => void };

/** Reads one bucket in index order, a page at a time, and only as far as the merge asks. */
const bucketReader = (config: DynamoConfig, query: DeadQuery, bucket: number, after: Consumed): Reader => {
  const pages = pageInput(config, query, bucket);
  let buffer: Item[] = [];
  let startKey: Item | undefined = after === null ? undefined : indexKey(bucket, after);
  let done = false;
  return {
    peek: async () => {
      while (buffer.length === 0 && !done) {
        const page = await config.client.send(
          new QueryCommand({ ...pages, ...(startKey && { ExclusiveStartKey: startKey }) }),
        );
        buffer = page.Items ?? [];
        startKey = page.LastEvaluatedKey;
        done = startKey === undefined;
      }
      const item = buffer[0];
      return item && { bucket, id: item['id']?.S ?? '', at: Number(item['diedAt']?.N), item };
    },
    take: () => {
      buffer = buffer.slice(1);
    },
  };
};

const pageInput = (config: DynamoConfig, query: DeadQuery, bucket: number): QueryCommandInput => {
  const { after = 0, before = Number.MAX_SAFE_INTEGER } = query.filter;
  return {
    TableName: config.jobsTable,
    IndexName: 'dead',
    KeyConditionExpression: '#bucket = :bucket AND #diedAt BETWEEN :from AND :to',
    ExpressionAttributeNames: { '#bucket': 'deadBucket', '#diedAt': 'diedAt' },
    ExpressionAttributeValues: {
      ':bucket': { S: deadBucketNames[bucket] ?? '' },
      ':from': { N: String(after) },
      ':to': { N: String(before - 1) },
    },
    ScanIndexForward: query.order === 'oldest-first',
    Limit: Math.min(bounds.pageLimitMax, query.limit + 1),
  };
};

const indexKey = (bucket: number, at: { id: string; at: number }): Item => ({
  id: { S: at.id },
  deadBucket: { S: deadBucketNames[bucket] ?? '' },
  diedAt: { N: String(at.at) },
});

const nearest = async (readers: readonly Reader[], order: DeadQuery['order']): Promise<IndexEntry | undefined> => {
  const heads = await Promise.all(readers.map((reader) => reader.peek()));
  const sign = order === 'oldest-first' ? 1 : -1;
  const [first] = heads
    .filter((head) => head !== undefined)
    .sort((a, b) => sign * (a.at - b.at) || a.bucket - b.bucket);
  if (first !== undefined) readers[first.bucket]?.take();
  return first;
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
const load = async (
  config: DynamoConfig,
  chosen: readonly { entry: IndexEntry; position: string }[],
): Promise<readonly DeadEntry[]> => {
  if (chosen.length === 0) return [];
  const items = await batchGet(
    config,
    chosen.map(({ entry }) => entry.id),
  );
  const byId = new Map(items.map((item) => [item['id']?.S, item]));
  return chosen.flatMap(({ entry, position }): DeadEntry[] => {
    const item = byId.get(entry.id);
    if (item === undefined) return [];
    if (item['stray'] !== undefined) {
      return item['deadBucket'] === undefined ? [] : [{ kind: 'stray', stray: strayOf(item), position }];
    }
    const job = jobOf(item);
    return job !== undefined && isDead(job) ? [{ kind: 'job', job, position }] : [];
  });
};

const isDead = (job: Job): job is Job & { state: 'dead' } => job.state === 'dead';

const parsePosition = (text: string): Position => {
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value) || value.length !== deadBucketNames.length)
    throw new TypeError('not a position of this index');
  return value as Position;
};

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
