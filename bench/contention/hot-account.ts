import { randomBytes } from 'node:crypto';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import type { Job } from '#core/job.ts';
import { type Limits, productionLimits } from '#core/limits.ts';
import { checkSubmission } from '#core/submission.ts';
import { SlotView } from '#flow/slot-view.ts';
import { submit } from '#flow/submit.ts';
import type { World } from '#flow/world.ts';
import { creditAccount, ledgerCredit } from '#functions/jobs/ledger-credit.ts';
import { Overlaps } from '#test/support/faults/overlap.ts';
import { connectionTo, type Place } from '#test/support/workers/place.ts';
import { Deliveries, Worker } from '#test/support/workers/worker.ts';
import { worldOn } from '#test/support/workers/world.ts';

export interface HotLoad {
  /** Consumers at work at the same time, each with batches of up to ten. */
  readonly consumers: number;
  /** All of them credit one account. */
  readonly jobs: number;
  /** How long a transaction holds its items. */
  readonly heldMs: number;
  /** The part of the transactions that also meet one of others than us. */
  readonly foreign: number;
}

export interface HotRow extends HotLoad {
  readonly succeeded: number;
  /** Ended otherwise. */
  readonly dead: number;
  readonly unfinished: number;
  /** Starts of all jobs; one each if contention costs none. */
  readonly starts: number;
  /** Finishes that gave up until a later start, which burns no attempt. */
  readonly putBack: number;
  /** Tries of the finishing transaction, and those that met a conflict. */
  readonly transactions: number;
  readonly conflicts: number;
  readonly total: number;
  readonly writes: number;
  readonly slotsLeft: number;
  readonly seconds: number;
}

const submitsAtOnce = 8;
const endSecondsMax = 180;

const submitAll = async (world: World, account: string, jobs: number): Promise<readonly string[]> => {
  const view = new SlotView(world);
  const ids: string[] = [];
  const work = async () => {
    for (let i = ids.length; i < jobs; i = ids.length) {
      const checked = checkSubmission(
        {
          scope: '000000000000/contention',
          contentType: 'application/json',
          idempotencyKey: `hot-${i}`,
          body: JSON.stringify({ type: ledgerCredit.type, payload: { account, amount: 1 } }),
        },
        () => ledgerCredit.check,
      );
      if (!checked.ok) throw new Error(`the bench's own request is refused: ${checked.problem.code}`);
      ids.push(checked.value.id);
      const answer = await submit(world, view, checked.value, Date.now());
      if (answer.kind !== 'accepted') throw new Error(`a job of the hot account was ${answer.kind}`);
    }
  };
  await Promise.all(Array.from({ length: submitsAtOnce }, work));
  return ids;
};

/** One consumer on the place, which takes batches until it is told that all is over. */
const consume = async (place: Place, worker: Worker, limits: Limits, over: () => boolean): Promise<void> => {
  const deliveries = new Deliveries(place);
  while (!over()) {
    const batch = await deliveries.batch(limits.visibilitySeconds, 1);
    const done = await worker.handleBatch(batch, limits.consumerTimeoutSeconds);
    await Promise.all(done.map((record) => deliveries.acknowledge(record)));
  }
};

const recordsOf = async (world: World, ids: readonly string[]): Promise<readonly Job[]> => {
  const found: Job[] = [];
  for (let at = 0; at < ids.length; at += 100)
    found.push(...(await world.store.readMany(ids.slice(at, at + 100))).values());
  return found;
};

/** Many consumers credit one account, while transactions that overlap on it conflict as DynamoDB's do. */
export const creditHotAccount = async (place: Place, load: HotLoad, seconds = endSecondsMax): Promise<HotRow> => {
  const limits = { ...productionLimits, capacity: load.jobs };
  const account = `hot-${randomBytes(8).toString('hex')}`;
  const dynamo = new DynamoDBClient(connectionTo(place));
  const world = worldOn(place, { dynamo, limits, telemetry: { note: () => undefined, gauge: () => undefined } });
  const ids = await submitAll(world, account, load.jobs);

  const overlaps = new Overlaps(load);
  const workers = Array.from(
    { length: load.consumers },
    () =>
      new Worker(place, {
        run: ({ payload }) => ({ writes: [creditAccount(payload)], result: { credited: payload.amount } }),
        dynamo: overlaps.attach(new DynamoDBClient(connectionTo(place))),
        limits,
      }),
  );
  const noted = (metric: 'JobsSucceeded' | 'JobsDead' | 'JobsRetried') =>
    workers.reduce((sum, worker) => sum + worker.noted(metric).length, 0);
  const began = performance.now();
  const passed = () => (performance.now() - began) / 1_000;
  const over = () => noted('JobsSucceeded') + noted('JobsDead') >= load.jobs || passed() > seconds;
  await Promise.all(workers.map((worker) => consume(place, worker, limits, over)));

  const jobs = await recordsOf(world, ids);
  const inState = (state: Job['state']) => jobs.filter((job) => job.state === state).length;
  const [succeeded, dead] = [inState('succeeded'), inState('dead')];
  const { Item } = await dynamo.send(
    new GetItemCommand({ TableName: place.ledgerTableName, Key: { account: { S: account } }, ConsistentRead: true }),
  );
  const control = await world.slots.readControl();
  const shards = await world.slots.readShards(Array.from({ length: control?.shards ?? 0 }, (_, i) => i));
  return {
    ...load,
    succeeded,
    dead,
    unfinished: load.jobs - succeeded - dead,
    starts: jobs.reduce((sum, job) => sum + job.starts, 0),
    putBack: noted('JobsRetried'),
    transactions: overlaps.transactions,
    conflicts: overlaps.conflicts,
    total: Number(Item?.['total']?.N ?? 0),
    writes: Number(Item?.['writes']?.N ?? 0),
    slotsLeft: shards.reduce((sum, shard) => sum + (shard?.members.length ?? 0), 0),
    seconds: passed(),
  };
};
