import { randomBytes } from 'node:crypto';
import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import { deadBucket } from '../functions/adapters/job-item.ts';
import { bounds } from '../functions/core/limits.ts';
import { emulatorCredentials, emulatorRegion } from '../localstack/places.ts';

type Item = Record<string, AttributeValue>;
const writeAtOnce = 25;
const callsAtOnce = 8;

/** Fills the table with copies of a record that Sluice itself made: ids and index keys differ, nothing else. */
export class Seeder {
  readonly #dynamo: DynamoDBClient;
  readonly #table: string;

  constructor(endpoint: string, table: string) {
    this.#dynamo = new DynamoDBClient({ endpoint, region: emulatorRegion, credentials: emulatorCredentials });
    this.#table = table;
  }

  /** A record in this state, to be copied. */
  async recordIn(state: string): Promise<Item | undefined> {
    let from: Item | undefined;
    do {
      const page = await this.#dynamo.send(
        new ScanCommand({
          TableName: this.#table,
          FilterExpression: '#state = :state',
          ExpressionAttributeNames: { '#state': 'state' },
          ExpressionAttributeValues: { ':state': { S: state } },
          ...(from && { ExclusiveStartKey: from }),
        }),
      );
      const [found] = page.Items ?? [];
      if (found !== undefined) return found;
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
    return undefined;
  }

  async copies(template: Item, count: number): Promise<void> {
    let left = count;
    const work = async () => {
      while (left > 0) {
        const some = Math.min(writeAtOnce, left);
        left -= some;
        const requests = Array.from({ length: some }, () => ({ PutRequest: { Item: copyOf(template) } }));
        await this.#dynamo.send(new BatchWriteItemCommand({ RequestItems: { [this.#table]: requests } }));
      }
    };
    await Promise.all(Array.from({ length: callsAtOnce }, work));
  }
}

const copyOf = (template: Item): Item => {
  const id = randomBytes(16).toString('hex');
  const spread = Number.parseInt(id.slice(-4), 16);
  const scope = template['scope']?.S ?? '';
  return {
    ...template,
    id: { S: id },
    key: { S: `copy-${id}` },
    tenantBucket: { S: `${scope}#${spread % bounds.tenantBuckets}` },
    recentBucket: { S: `jobs#${spread % bounds.recentBuckets}` },
    ...('deadBucket' in template && { deadBucket: { S: deadBucket(id) } }),
  };
};
