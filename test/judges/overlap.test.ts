import {
  DynamoDBClient,
  GetItemCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { type OverlapOptions, Overlaps } from '#test/support/faults/overlap.ts';

/* Conflicts that the emulator never gives come from here: they must come where DynamoDB's would, and nowhere else. */

const on = (account: string) => ({ TableName: 'ledger', Key: { account: { S: account } } });
const update = (account: string) => ({ ...on(account), UpdateExpression: 'SET a = :a' });

/** A client whose every call is answered with nothing at once. */
const clientOf = (overlaps: Overlaps): DynamoDBClient => {
  const client = overlaps.attach(
    new DynamoDBClient({ region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } }),
  );
  client.middlewareStack.add(() => async () => ({ response: {}, output: { $metadata: {} } as never }), {
    step: 'deserialize',
    priority: 'high',
    name: 'answered',
  });
  return client;
};

const overlapping = (options: Partial<OverlapOptions> = {}) => {
  const overlaps = new Overlaps({ heldMs: 20, ...options });
  const [one, other] = [clientOf(overlaps), clientOf(overlaps)];
  const transact = (client: DynamoDBClient, ...accounts: readonly string[]) =>
    client.send(new TransactWriteItemsCommand({ TransactItems: accounts.map((name) => ({ Update: update(name) })) }));
  return { overlaps, one, other, transact };
};

describe('a transaction', () => {
  it('is cancelled by one that holds an item of it, with the reason at that item', async () => {
    const { overlaps, one, other, transact } = overlapping();
    const first = transact(one, 'a', 'hot');
    const second = await transact(other, 'b', 'hot').catch((error: unknown) => error);
    await first;
    expect(second).toBeInstanceOf(TransactionCanceledException);
    expect((second as TransactionCanceledException).CancellationReasons).toEqual([
      { Code: 'None' },
      { Code: 'TransactionConflict' },
    ]);
    expect(overlaps).toMatchObject({ transactions: 2, conflicts: 1 });
    // What was cancelled holds nothing, and what was carried out does not any more.
    await transact(other, 'b', 'hot');
  });

  it('does not mind one on other items', async () => {
    const { overlaps, one, other, transact } = overlapping();
    await Promise.all([transact(one, 'a'), transact(other, 'b')]);
    expect(overlaps.conflicts).toBe(0);
  });

  it('meets others, whom we do not see, as often as told', async () => {
    const { one, transact } = overlapping({ foreign: 0.5, random: () => 0.4 });
    await expect(transact(one, 'a')).rejects.toBeInstanceOf(TransactionCanceledException);
    const { one: lucky, transact: pass } = overlapping({ foreign: 0.5, random: () => 0.6 });
    await pass(lucky, 'a');
  });
});

it('a single write to an item that a transaction holds is refused; a read, and a write to another item, are not', async () => {
  const { one, other, transact } = overlapping();
  const held = transact(one, 'hot');
  await expect(other.send(new UpdateItemCommand(update('hot')))).rejects.toBeInstanceOf(TransactionConflictException);
  await other.send(new GetItemCommand(on('hot')));
  await other.send(new UpdateItemCommand(update('cold')));
  await held;
  await other.send(new UpdateItemCommand(update('hot')));
});
