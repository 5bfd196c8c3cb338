import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { makeRunOnce } from '#adapters/run-once.ts';
import type { Evidence } from '#core/evidence.ts';
import { type Limits, localLimits } from '#core/limits.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import { consumeBatch } from '#functions/consumer.ts';
import { defineJob, type JobContext, type JobDone, jobRegistry } from '#functions/jobs/define-job.ts';
import { account, positiveInteger } from '#functions/jobs/ledger-credit.ts';
import type { Clock, JobStore } from '#functions/ports.ts';
import { connectionTo, type Place } from './place.ts';
import { worldOn } from './world.ts';

const credit = z.strictObject({ account, amount: positiveInteger });
type Credit = z.infer<typeof credit>;

/** What stands in for a worker's own parts, to make it stop where a drill wants it to, or meet what the emulator never does. */
interface WorkerParts {
  /** The handler that this worker runs for `ledger.credit`. */
  readonly run: (context: JobContext<Credit>) => JobDone | Promise<JobDone>;
  readonly clock?: Clock;
  readonly dynamo?: DynamoDBClient;
  readonly limits?: Limits;
  /** Calls of the store that go another way. */
  readonly store?: (real: JobStore) => Partial<JobStore>;
}

/**
 * The product's consumer in this process, on the deployed tables and queues: the same code as the Lambda's, where a drill
 * can hold it still between any two of its calls.
 */
export class Worker {
  readonly evidence: Evidence[] = [];
  readonly #world: ConsumerWorld;

  constructor(place: Place, parts: WorkerParts) {
    const { clock, dynamo = new DynamoDBClient(connectionTo(place)), limits = localLimits } = parts;
    const telemetry = { note: (evidence: Evidence) => void this.evidence.push(evidence), gauge: () => undefined };
    const world = worldOn(place, { dynamo, limits, telemetry, clock });
    const instead = parts.store?.(world.store) ?? {};
    this.#world = {
      ...world,
      store: new Proxy<JobStore>(world.store, {
        get: (real, name: keyof JobStore) => instead[name] ?? real[name].bind(real),
      }),
      registry: jobRegistry(defineJob({ type: 'ledger.credit', payload: credit, timeoutSeconds: 5, run: parts.run })),
      runOnce: makeRunOnce(dynamo),
      log: () => ({ info: () => undefined, warn: () => undefined }),
    };
  }

  /** Consumes one message as a batch of its own, with so much time to live. */
  async handle(record: SQSRecord, seconds: number): Promise<'acknowledge' | 'keep'> {
    return (await this.handleBatch([record], seconds)).length === 1 ? 'acknowledge' : 'keep';
  }

  /** Consumes a batch, and returns those of its messages that are to be acknowledged. */
  async handleBatch(records: readonly SQSRecord[], seconds: number): Promise<readonly SQSRecord[]> {
    const end = Date.now() + seconds * 1_000;
    const event = { Records: [...records] };
    const { batchItemFailures } = await consumeBatch(this.#world, event, () => end - Date.now());
    const kept = new Set(batchItemFailures.map((failure) => failure.itemIdentifier));
    return records.filter((record) => !kept.has(record.messageId));
  }

  noted(metric: Evidence['metric']): readonly Evidence[] {
    return this.evidence.filter((evidence) => evidence.metric === metric);
  }
}

const receiveSecondsMax = 30;

/** The part of the event source mapping: receives from the main queue, which the deployed consumer must not do meanwhile. */
export class Deliveries {
  readonly #sqs: SQSClient;
  readonly #queueUrl: string;
  readonly #waiting: SQSRecord[] = [];

  constructor(place: Place) {
    this.#sqs = new SQSClient(connectionTo(place));
    this.#queueUrl = place.queueUrl;
  }

  /** Receives a message of this job, which others do not see for so long; messages of other jobs wait for their taker. */
  async take(jobId: string, hiddenSeconds = localLimits.visibilitySeconds): Promise<SQSRecord> {
    const deadline = Date.now() + receiveSecondsMax * 1_000;
    while (Date.now() < deadline) {
      const at = this.#waiting.findIndex((record) => record.body.includes(jobId));
      const [found] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (found !== undefined) return found;
      this.#waiting.push(...(await this.batch(hiddenSeconds, 1)));
    }
    throw new Error(`no message of job ${jobId} came within ${receiveSecondsMax} s`);
  }

  /** Up to ten messages of any jobs. */
  async batch(hiddenSeconds: number, waitSeconds: number): Promise<readonly SQSRecord[]> {
    const { Messages = [] } = await this.#sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: waitSeconds,
        MessageSystemAttributeNames: ['ApproximateReceiveCount'],
        MessageAttributeNames: ['All'],
      }),
    );
    return Messages.map(toRecord);
  }

  async acknowledge(record: SQSRecord): Promise<void> {
    await this.#sqs.send(new DeleteMessageCommand({ QueueUrl: this.#queueUrl, ReceiptHandle: record.receiptHandle }));
  }

  /** Lets a worker consume what comes for this job until `ended` says so. */
  async serve(worker: Worker, jobId: string, ended: () => Promise<boolean>, seconds = 3): Promise<void> {
    while (!(await ended())) {
      const record = await this.take(jobId);
      if ((await worker.handle(record, seconds)) === 'acknowledge') await this.acknowledge(record);
    }
  }
}

const toRecord = (message: Message): SQSRecord =>
  ({
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: { ApproximateReceiveCount: message.Attributes?.ApproximateReceiveCount ?? '1' },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        { stringValue: value.StringValue },
      ]),
    ),
  }) as unknown as SQSRecord;
