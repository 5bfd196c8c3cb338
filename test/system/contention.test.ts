import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, inject, test } from 'vitest';
import { productionLimits } from '#core/limits.ts';
import { describeSchema } from '#test/support/describe-schema.ts';
import { connectionTo, freshPlace, type Place } from '#test/support/workers/place.ts';
import { hotExpectations, missesOf, slotExpectations } from '../../bench/contention/expected.ts';
import { creditHotAccount } from '../../bench/contention/hot-account.ts';
import { contendForSlots, type SlotLoad } from '../../bench/contention/slots.ts';

/* `npm run bench:contention`, smaller: the same loads and the same expectations, which are counts and states. */

const outputs = inject('localOutputs');
const clients = { dynamo: new DynamoDBClient(connectionTo(outputs)), sqs: new SQSClient(connectionTo(outputs)) };

const fresh = async (): Promise<Place> => {
  const schema = await describeSchema(clients.dynamo, outputs.jobsTableName);
  const { attemptsMax: maxReceiveCount, visibilitySeconds } = productionLimits;
  return freshPlace(outputs, clients, { name: 'contention', schema, maxReceiveCount, visibilitySeconds });
};

describe('slots near the bound', () => {
  test.each<[string, SlotLoad]>([
    ['room for each of 16 instances', { capacity: 100, room: 16, writers: 16, asksEach: 10 }],
    ['one slot for 16 instances', { capacity: 100, room: 1, writers: 16, asksEach: 10 }],
    ['four slots in 32 shards for 16 instances', { capacity: 1_000, room: 4, writers: 16, asksEach: 10 }],
  ])('G1, G8: %s: never above the bound, none refused in error, none left behind', async (_, load) => {
    const row = await contendForSlots(await fresh(), load);
    expect(missesOf(slotExpectations, row)).toEqual([]);
    expect(row.taken).toBeGreaterThan(0);
    expect(row.taken + row.full + row.remembered + row.inError).toBe(load.writers * load.asksEach);
    if (load.room < load.writers) expect(row.full).toBeGreaterThan(0);
  });
});

describe('one hot account', () => {
  test('two batches of one consumer: no transaction meets another one of its own batch', async () => {
    const row = await creditHotAccount(await fresh(), { consumers: 1, jobs: 20, heldMs: 15, foreign: 0 });
    expect(missesOf(hotExpectations, row)).toEqual([]);
    expect({ transactions: row.transactions, conflicts: row.conflicts }).toEqual({ transactions: 20, conflicts: 0 });
  });

  test('G3, G5: four consumers, and others who write to it: no attempt lost, each effect once', async () => {
    const row = await creditHotAccount(await fresh(), { consumers: 4, jobs: 40, heldMs: 15, foreign: 0.2 });
    expect(missesOf(hotExpectations, row)).toEqual([]);
    expect(row.succeeded).toBe(40);
    // Without conflicts this would show nothing.
    expect(row.conflicts).toBeGreaterThan(0);
  });
});
