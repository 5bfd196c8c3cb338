import {
  ConditionalCheckFailedException,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { isFinal, type Job, type Progress, type RunningJob } from '#core/job.ts';
import type { JobWrite } from '#core/job-write.ts';
import { bounds } from '#core/limits.ts';
import type { Message } from '#core/message.ts';
import type {
  DeadPage,
  DeadQuery,
  Finished,
  JobStore,
  JobsPage,
  JobsQuery,
  Saved,
  StartWrite,
  Stray,
  StrayState,
} from '#functions/ports.ts';
import { countDead, discardStray, listDead, readStrays, recordStray } from './dead-index.ts';
import { difference, Expressions } from './expressions.ts';
import { finishAttempt, saveWithPayload } from './finish-transaction.ts';
import { listJobs } from './job-index.ts';
import { historyValue, type Item, toItem } from './job-item.ts';
import { batchGet, type DynamoConfig, isOwn, jobOf, payloadId, refused } from './jobs-table.ts';

/**
 * The job table. Every write is guarded by a condition, and carries `writer`, a text that only this call knows: when the
 * SDK repeats a call whose first answer was lost, the condition fails on our own write, which `writer` recognises.
 * Source: "Error retries and exponential backoff" and ReturnValuesOnConditionCheckFailure in the DynamoDB guide.
 */
export class DynamoJobStore implements JobStore {
  readonly #c: DynamoConfig;
  constructor(config: DynamoConfig) {
    this.#c = config;
  }

  async read(id: string): Promise<Job | undefined> {
    return jobOf((await this.#get(id)).Item);
  }

  async readMany(ids: readonly string[]): Promise<ReadonlyMap<string, Job>> {
    const items = await batchGet(this.#c, ids);
    return new Map(items.flatMap((item) => jobOf(item) ?? []).map((job) => [job.id, job]));
  }

  async insert(job: Job, now: number): Promise<{ kind: 'inserted' } | { kind: 'exists'; job: Job }> {
    try {
      await this.#c.client.send(
        new PutItemCommand({
          TableName: this.#c.jobsTable,
          Item: toItem(job),
          ConditionExpression: 'attribute_not_exists(#id) OR #expiresAt <= :now',
          ExpressionAttributeNames: { '#id': 'id', '#expiresAt': 'expiresAt' },
          ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1000)) } },
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { kind: 'inserted' };
    } catch (error) {
      const { job: existing } = refused(error);
      if (existing === undefined) throw error;
      // Only our own first try can have brought this token; the job may have moved on since.
      const ours = existing.tenure === job.tenure && existing.slot.token === job.slot.token;
      return ours ? { kind: 'inserted' } : { kind: 'exists', job: existing };
    }
  }

  /**
   *      message sent      due               deadline
   * ─────────┼──────────────┼───────────────────┼────────▶ time
   *  queued  │  too early   │     may start     │ expired
   *
   * The condition is `transition(job, start)` for a job without a lost attempt; the contract suite holds the two equal.
   */
  async start(
    message: Message,
    start: StartWrite,
  ): Promise<{ kind: 'started'; job: RunningJob } | { kind: 'refused'; job: Job | undefined }> {
    const e = new Expressions();
    e.set('state', { S: 'running' });
    e.set('attempt', { N: String(start.attempt + 1) });
    e.add('starts', 1);
    e.add('rev', 1);
    e.set('owner', { S: start.owner });
    e.set('leaseUntil', { N: String(start.leaseUntil) });
    e.set('updatedAt', { N: String(start.now) });
    const entry = historyValue([{ at: start.now, event: 'start', attempt: start.attempt + 1 }]);
    e.sets.push(`${e.name('history')} = list_append(#history, ${e.value('entry', entry)})`);
    for (const attribute of ['nextAttemptAt', 'stale', 'unsent', 'returns']) e.remove(attribute);
    const conditions = [
      `${e.name('state')} IN (${e.value('queued', { S: 'queued' })}, ${e.value('retrying', { S: 'retrying' })})`,
      `#attempt = ${e.value('before', { N: String(start.attempt) })}`,
      `#attempt < ${e.name('attemptsMax')}`,
      `${e.name('fp')} = ${e.value('fp', { B: Buffer.from(message.fingerprint, 'hex') })}`,
      `${e.name('tenure')} = ${e.value('tenure', { N: String(message.tenure) })}`,
      `attribute_not_exists(${e.name('losses')})`,
      `(attribute_not_exists(#nextAttemptAt) OR #nextAttemptAt <= :updatedAt)`,
      `(attribute_not_exists(${e.name('deadlineAt')}) OR #deadlineAt > :updatedAt)`,
      `size(#history) < ${e.value('entriesMax', { N: String(bounds.historyEntriesMax) })}`,
    ];
    try {
      const { Attributes } = await this.#c.client.send(
        new UpdateItemCommand({
          TableName: this.#c.jobsTable,
          Key: { id: { S: message.id } },
          UpdateExpression: e.update(),
          ConditionExpression: conditions.join(' AND '),
          ExpressionAttributeNames: e.names,
          ExpressionAttributeValues: e.values,
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return { kind: 'started', job: running(Attributes) };
    } catch (error) {
      // Our own first try shows by its owner, even if a mark was written since.
      const { job } = refused(error);
      return job?.state === 'running' && job.owner === start.owner
        ? { kind: 'started', job }
        : { kind: 'refused', job };
    }
  }

  async save(from: Job, to: Job): Promise<Saved> {
    const writer = this.#c.random.hex(6);
    const e = new Expressions();
    difference(from, to, e, new Set());
    e.set('writer', { S: writer });
    const update = {
      TableName: this.#c.jobsTable,
      Key: { id: { S: from.id } },
      UpdateExpression: e.update(),
      ConditionExpression: `${e.name('rev')} = ${e.value('readRev', { N: String(from.rev) })}`,
      ExpressionAttributeNames: e.names,
      ExpressionAttributeValues: e.values,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };
    if ('item' in to.payload && isFinal(to)) return saveWithPayload(this.#c, update, to.payload.item, to, writer);
    try {
      await this.#c.client.send(new UpdateItemCommand(update));
      return { kind: 'saved' };
    } catch (error) {
      const { item, job } = refused(error);
      return isOwn(item, writer) ? { kind: 'saved' } : { kind: 'lost', job };
    }
  }

  finish(from: RunningJob, to: Job, writes: readonly JobWrite[], unlessCancelled: boolean): Promise<Finished> {
    return finishAttempt(this.#c, from, to, writes, unlessCancelled);
  }

  async noteProgress(job: RunningJob, progress: Progress, now: number): Promise<boolean> {
    const e = new Expressions();
    e.set('progress', { M: marshall(progress, { removeUndefinedValues: true }) });
    e.set('updatedAt', { N: String(now) });
    e.add('rev', 1);
    try {
      await this.#c.client.send(
        new UpdateItemCommand({
          TableName: this.#c.jobsTable,
          Key: { id: { S: job.id } },
          UpdateExpression: e.update(),
          ConditionExpression: `${e.name('owner')} = ${e.value('me', { S: job.owner })}`,
          ExpressionAttributeNames: e.names,
          ExpressionAttributeValues: e.values,
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async writePayload(token: string, payload: string): Promise<void> {
    const Item = { id: { S: payloadId(token) }, data: { S: payload } };
    await this.#c.client.send(new PutItemCommand({ TableName: this.#c.jobsTable, Item }));
  }

  async readPayload(token: string): Promise<string | undefined> {
    return (await this.#get(payloadId(token))).Item?.['data']?.S;
  }

  async deletePayload(token: string): Promise<void> {
    await this.#c.client.send(
      new DeleteItemCommand({ TableName: this.#c.jobsTable, Key: { id: { S: payloadId(token) } } }),
    );
  }

  listDead(query: DeadQuery): Promise<DeadPage> {
    return listDead(this.#c, query);
  }

  countDead(max: number): Promise<number> {
    return countDead(this.#c, max);
  }

  recordStray(stray: Stray): Promise<boolean> {
    return recordStray(this.#c, stray);
  }

  readStrays(ids: readonly string[]): Promise<ReadonlyMap<string, StrayState>> {
    return readStrays(this.#c, ids);
  }

  discardStray(id: string, expiresAt: number): Promise<boolean> {
    return discardStray(this.#c, id, expiresAt);
  }

  listJobs(query: JobsQuery): Promise<JobsPage> {
    return listJobs(this.#c, query);
  }

  #get(id: string) {
    return this.#c.client.send(
      new GetItemCommand({ TableName: this.#c.jobsTable, Key: { id: { S: id } }, ConsistentRead: true }),
    );
  }
}

const running = (item: Item | undefined): RunningJob => {
  const job = jobOf(item);
  if (job?.state !== 'running') throw new Error('a start returned a record that is not running');
  return job;
};
