import { QueryCommand } from '@aws-sdk/client-dynamodb';
import { UnfitPosition } from '#core/position.ts';
import type { Item } from './job-item.ts';
import type { DynamoConfig } from './jobs-table.ts';

/** A global index whose partitions are buckets, each sorted by a number. */
export interface BucketedIndex {
  readonly indexName: string;
  readonly bucketAttribute: string;
  readonly sortAttribute: string;
  readonly buckets: readonly string[];
}

export interface BucketedQuery {
  readonly order: 'newest-first' | 'oldest-first';
  /** Inclusive bounds of the sort attribute. */
  readonly from: number;
  readonly to: number;
  readonly after: string | undefined;
  /** Entries wanted, and entries read from the index at most: a filter may discard many, and the page is then short. */
  readonly limit: number;
  readonly examinedMax: number;
}

export interface IndexEntry {
  readonly id: string;
  readonly item: Item;
  /** Where to go on behind this entry. */
  readonly position: string;
}

/**
 * A position holds, for each bucket, the last index entry that was consumed, so that going on is exact even among entries
 * of one millisecond, whose order the index keeps to itself.
 */
type Consumed = { readonly id: string; readonly at: number } | null;

interface Head {
  readonly bucket: number;
  readonly id: string;
  readonly at: number;
  readonly item: Item;
}

/** Merges the buckets by the sort attribute, and yields entries until `examinedMax` were read or none is left. */
export async function* readIndex(
  config: DynamoConfig,
  index: BucketedIndex,
  query: BucketedQuery,
): AsyncGenerator<IndexEntry> {
  // DynamoDB refuses a BETWEEN whose ends are the wrong way round.
  if (query.to < query.from) return;
  const position: Consumed[] = parsePosition(index, query);
  const readers = index.buckets.map((_, bucket) =>
    bucketReader(config, index, query, bucket, position[bucket] ?? null),
  );
  for (let examined = 0; examined < query.examinedMax; examined += 1) {
    const next = await nearest(readers, query.order);
    if (next === undefined) return;
    position[next.bucket] = { id: next.id, at: next.at };
    yield { id: next.id, item: next.item, position: JSON.stringify(position) };
  }
}

/** Throws `UnfitPosition` for a text that is no position of this index, or of one outside of the query's bounds. */
const parsePosition = (index: BucketedIndex, query: BucketedQuery): Consumed[] => {
  if (query.after === undefined) return index.buckets.map(() => null);
  const value = parsed(query.after);
  if (!Array.isArray(value) || value.length !== index.buckets.length) throw new UnfitPosition();
  return value.map((place) => consumed(place, query));
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnfitPosition();
  }
};

/** DynamoDB refuses a start key of another form, or beyond the key condition, as a mistake of the caller: of ours. */
const consumed = (place: unknown, { from, to }: BucketedQuery): Consumed => {
  if (place === null) return null;
  const { id, at } = Object(place) as { id?: unknown; at?: unknown };
  if (typeof id !== 'string' || !idPattern.test(id)) throw new UnfitPosition();
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < from || at > to) throw new UnfitPosition();
  return { id, at };
};

const idPattern = /^(stray-)?[0-9a-f]{32}$/;

type Reader = { readonly peek: () => Promise<Head | undefined>; readonly take: () => void };

const pageMax = 101;

/** Reads one bucket in index order, a page at a time, and only as far as the merge asks. */
const bucketReader = (
  config: DynamoConfig,
  index: BucketedIndex,
  query: BucketedQuery,
  bucket: number,
  after: Consumed,
): Reader => {
  const name = index.buckets[bucket] ?? '';
  let buffer: Item[] = [];
  let startKey: Item | undefined = after === null ? undefined : keyOf(index, name, after);
  let done = false;
  return {
    peek: async () => {
      while (buffer.length === 0 && !done) {
        const page = await config.client.send(
          new QueryCommand({
            TableName: config.jobsTable,
            IndexName: index.indexName,
            KeyConditionExpression: '#bucket = :bucket AND #sort BETWEEN :from AND :to',
            ExpressionAttributeNames: { '#bucket': index.bucketAttribute, '#sort': index.sortAttribute },
            ExpressionAttributeValues: {
              ':bucket': { S: name },
              ':from': { N: String(query.from) },
              ':to': { N: String(query.to) },
            },
            ScanIndexForward: query.order === 'oldest-first',
            Limit: Math.min(pageMax, query.limit + 1),
            ...(startKey && { ExclusiveStartKey: startKey }),
          }),
        );
        buffer = page.Items ?? [];
        startKey = page.LastEvaluatedKey;
        done = startKey === undefined;
      }
      const item = buffer[0];
      return item && { bucket, id: item['id']?.S ?? '', at: Number(item[index.sortAttribute]?.N), item };
    },
    take: () => {
      buffer = buffer.slice(1);
    },
  };
};

const keyOf = (index: BucketedIndex, bucket: string, at: { id: string; at: number }): Item => ({
  id: { S: at.id },
  [index.bucketAttribute]: { S: bucket },
  [index.sortAttribute]: { N: String(at.at) },
});

const nearest = async (readers: readonly Reader[], order: BucketedQuery['order']): Promise<Head | undefined> => {
  const heads = await Promise.all(readers.map((reader) => reader.peek()));
  const sign = order === 'oldest-first' ? 1 : -1;
  const [first] = heads
    .filter((head) => head !== undefined)
    .sort((a, b) => sign * (a.at - b.at) || a.bucket - b.bucket);
  if (first !== undefined) readers[first.bucket]?.take();
  return first;
};
