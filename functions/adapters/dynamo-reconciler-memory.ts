import { ConditionalCheckFailedException, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import type { ReconcilerMemory, RunMemory } from '#functions/ports.ts';
import type { DynamoConfig } from './jobs-table.ts';

const memoryId = 'reconciler';

/** One item: a lock with an end, and what a run leaves to the next. All its users' writes are guarded, lock or not. */
export class DynamoReconcilerMemory implements ReconcilerMemory {
  readonly #c: DynamoConfig;
  constructor(config: DynamoConfig) {
    this.#c = config;
  }

  async acquire(
    owner: string,
    now: number,
    until: number,
  ): Promise<{ kind: 'acquired'; memory: RunMemory } | { kind: 'busy' }> {
    try {
      const { Attributes } = await this.#c.client.send(
        new UpdateItemCommand({
          TableName: this.#c.jobsTable,
          Key: { id: { S: memoryId } },
          UpdateExpression: 'SET #owner = :owner, #until = :until',
          ConditionExpression: 'attribute_not_exists(#until) OR #until <= :now OR #owner = :owner',
          ExpressionAttributeNames: { '#owner': 'owner', '#until': 'until' },
          ExpressionAttributeValues: {
            ':owner': { S: owner },
            ':until': { N: String(until) },
            ':now': { N: String(now) },
          },
          ReturnValues: 'ALL_NEW',
        }),
      );
      return {
        kind: 'acquired',
        memory: {
          seen: Attributes?.['seen']?.SS ?? [],
          fromShard: Number(Attributes?.['fromShard']?.N ?? 0),
          lastRunAt: Number(Attributes?.['lastRunAt']?.N ?? 0),
          ...(Number(Attributes?.['pausedAt']?.N ?? 0) > 0 && { pausedAt: Number(Attributes?.['pausedAt']?.N) }),
        },
      };
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return { kind: 'busy' };
      throw error;
    }
  }

  async release(owner: string, memory: RunMemory): Promise<void> {
    const some = memory.seen.length > 0;
    try {
      await this.#c.client.send(
        new UpdateItemCommand({
          TableName: this.#c.jobsTable,
          Key: { id: { S: memoryId } },
          UpdateExpression: some
            ? 'SET #seen = :seen, #fromShard = :fromShard, #lastRunAt = :lastRunAt, #pausedAt = :pausedAt REMOVE #until'
            : 'SET #fromShard = :fromShard, #lastRunAt = :lastRunAt, #pausedAt = :pausedAt REMOVE #until, #seen',
          ConditionExpression: '#owner = :owner',
          ExpressionAttributeNames: {
            '#owner': 'owner',
            '#until': 'until',
            '#seen': 'seen',
            '#fromShard': 'fromShard',
            '#lastRunAt': 'lastRunAt',
            '#pausedAt': 'pausedAt',
          },
          ExpressionAttributeValues: {
            ':owner': { S: owner },
            ':fromShard': { N: String(memory.fromShard) },
            ':lastRunAt': { N: String(memory.lastRunAt) },
            ':pausedAt': { N: String(memory.pausedAt ?? 0) },
            ...(some && { ':seen': { SS: [...memory.seen] } }),
          },
        }),
      );
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
    }
  }
}
