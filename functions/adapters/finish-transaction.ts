import {
  type CancellationReason,
  GetItemCommand,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  type Update,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { type FinalJob, isFinal, type Job, type RunningJob } from '#core/job.ts';
import type { JobWrite } from '#core/job-write.ts';
import type { Finished, Saved } from '#functions/ports.ts';
import { difference, Expressions, transactItem } from './expressions.ts';
import type { Item } from './job-item.ts';
import { type DynamoConfig, isOwn, jobOf, payloadTtl, refused } from './jobs-table.ts';

type JobUpdate = Update & { readonly ReturnValuesOnConditionCheckFailure: 'ALL_OLD' };

/**
 * The end of an attempt, its handler's writes and the fence as one atomic step.
 *
 *   start (owner A) ───── work ─────▶ finish: owner = A?  yes ─▶ effect + state, both or none
 *                          ▲                              no  ─▶ fenced: nothing of A's result lands
 *            lease ends, B starts (owner B)
 */
export const finishAttempt = async (
  config: DynamoConfig,
  from: RunningJob,
  to: Job,
  writes: readonly JobWrite[],
  unlessCancelled: boolean,
): Promise<Finished> => {
  const e = new Expressions();
  // A mark or a cancel request may have raised the revision meanwhile; the owner is the guard here, not the revision.
  difference(from, to, e, new Set(['rev', 'stale', 'cancelRequested']));
  e.add('rev', 1);
  // The marks of a running job end with it, also those that came after it was read.
  e.remove('stale');
  e.remove('cancelRequested');
  // The same for every try of this end, another for another end: a repetition recognises what its first try wrote.
  const writer = `${from.owner}/${to.state}`;
  e.set('writer', { S: writer });
  const conditions = [
    `${e.name('owner')} = ${e.value('me', { S: from.owner })}`,
    `${e.name('state')} = ${e.value('running', { S: 'running' })}`,
    ...(unlessCancelled ? [`attribute_not_exists(${e.name('cancelRequested')})`] : []),
  ];
  const update: JobUpdate = {
    TableName: config.jobsTable,
    Key: { id: { S: from.id } },
    UpdateExpression: e.update(),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: e.names,
    ExpressionAttributeValues: e.values,
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
  const theirs = transactItems(config, writes);
  if (theirs.kind === 'rejected') return theirs;
  const ours = [
    { Update: update },
    ...('item' in to.payload && isFinal(to) ? [payloadTtl(config, to.payload.item, to)] : []),
  ];
  try {
    if (ours.length + writes.length === 1) {
      await config.client.send(new UpdateItemCommand(update));
    } else {
      await config.client.send(
        new TransactWriteItemsCommand({
          TransactItems: [...ours, ...theirs.items],
          ClientRequestToken: config.random.hex(16),
        }),
      );
    }
    return { kind: 'saved' };
  } catch (error) {
    if (error instanceof TransactionCanceledException) {
      return cancelled(error.CancellationReasons ?? [], ours.length, from.owner, writer);
    }
    if (isConditionFailure(error)) return notOurs(refused(error).item, from.owner, writer);
    if (isValidation(error)) return { kind: 'rejected', detail: (error as Error).message };
    return lookUp(config, from, writer);
  }
};

/** A logical name that no table answers to, or a value that cannot be marshalled, is the handler's own mistake. */
const transactItems = (config: DynamoConfig, writes: readonly JobWrite[]) => {
  try {
    const items = writes.map((write) => {
      const table = config.jobTables[write.table];
      if (table === undefined) throw new TypeError(`no table is configured for the logical name "${write.table}"`);
      return transactItem(write, table);
    });
    return { kind: 'items' as const, items };
  } catch (error) {
    return { kind: 'rejected' as const, detail: (error as Error).message };
  }
};

const isConditionFailure = (error: unknown): boolean =>
  (error as Error | undefined)?.name === 'ConditionalCheckFailedException';
const isValidation = (error: unknown): boolean => (error as Error | undefined)?.name === 'ValidationException';

/** Reasons come one per item, in order. Our own condition is judged first, then the handler's, then contention. */
const cancelled = (
  reasons: readonly CancellationReason[],
  ownItems: number,
  owner: string,
  writer: string,
): Finished => {
  if (reasons[0]?.Code === 'ConditionalCheckFailed') return notOurs(reasons[0].Item, owner, writer);
  const index = reasons.findIndex((reason) => reason.Code === 'ConditionalCheckFailed');
  if (index >= ownItems) return { kind: 'condition-failed', index: index - ownItems };
  const invalid = reasons.find(
    (reason) => reason.Code === 'ValidationError' || reason.Code === 'ItemCollectionSizeLimitExceeded',
  );
  if (invalid !== undefined) return { kind: 'rejected', detail: invalid.Message ?? 'the writes are not valid' };
  return { kind: 'contended' };
};

const notOurs = (item: Item | undefined, owner: string, writer: string): Finished => {
  if (isOwn(item, writer)) return { kind: 'saved' };
  const job = jobOf(item);
  if (job?.state === 'running' && job.owner === owner) return { kind: 'cancel-requested' };
  return { kind: 'fenced', job };
};

/** No clear answer: the record tells whether our write landed. */
const lookUp = async (config: DynamoConfig, from: RunningJob, writer: string): Promise<Finished> => {
  const { Item } = await config.client.send(
    new GetItemCommand({ TableName: config.jobsTable, Key: { id: { S: from.id } }, ConsistentRead: true }),
  );
  const verdict = notOurs(Item, from.owner, writer);
  return verdict.kind === 'cancel-requested' ? { kind: 'contended' } : verdict;
};

/** A save that ends a job whose payload lies apart gives both items their TTL at once. */
export const saveWithPayload = async (
  config: DynamoConfig,
  update: JobUpdate,
  token: string,
  to: FinalJob,
  writer: string,
): Promise<Saved> => {
  try {
    await config.client.send(
      new TransactWriteItemsCommand({
        TransactItems: [{ Update: update }, payloadTtl(config, token, to)],
        ClientRequestToken: config.random.hex(16),
      }),
    );
    return { kind: 'saved' };
  } catch (error) {
    const reason = error instanceof TransactionCanceledException ? error.CancellationReasons?.[0] : undefined;
    if (reason?.Code !== 'ConditionalCheckFailed') throw error;
    if (isOwn(reason.Item, writer)) return { kind: 'saved' };
    return { kind: 'lost', job: jobOf(reason.Item) };
  }
};
