import { DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { Item } from '#adapters/job-item.ts';
import { connectionTo, type Place } from './workers/place.ts';

/** All items of a table, read consistently page by page. */
export const everyItem = async (place: Pick<Place, 'endpointUrl' | 'region'>, TableName: string): Promise<Item[]> => {
  const client = new DynamoDBClient(connectionTo(place));
  const items: Item[] = [];
  try {
    let ExclusiveStartKey: Item | undefined;
    do {
      const page = await client.send(
        new ScanCommand({ TableName, ConsistentRead: true, ...(ExclusiveStartKey && { ExclusiveStartKey }) }),
      );
      items.push(...(page.Items ?? []));
      ExclusiveStartKey = page.LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
  } finally {
    client.destroy();
  }
  return items;
};
