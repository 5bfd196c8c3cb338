import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteMessageCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { SQSRecord } from 'aws-lambda';
import * as z from 'zod/mini';
import { DynamoJobStore } from '#adapters/dynamo-job-store.ts';
import { DynamoSlotRegistry } from '#adapters/dynamo-slot-registry.ts';
import { makeRunOnce } from '#adapters/run-once.ts';
import { SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { systemClock, systemRandom } from '#adapters/system-world.ts';
import type { Evidence } from '#core/evidence.ts';
import { localLimits } from '#core/limits.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import { consumeBatch } from '#functions/consumer.ts';
import { defineJob, type JobContext, type JobDone, jobRegistry } from '#functions/jobs/define-job.ts';
import { account, positiveInteger } from '#functions/jobs/ledger-credit.ts';
import type { Clock, JobStore } from '#functions/ports.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';

const credit = z.strictObject({ account, amount: positiveInteger });
type Credit = z.infer<typeof credit>;

/** What stands in for a worker's own parts, to make it stop where the drill wants it to. */
interface WorkerParts {
  /** The handler that this worker runs for `ledger.credit`. */
  readonly run: (context: JobContext<Credit>) => JobDone | Promise<JobDone>;
  readonly clock?: Clock;
  /** Calls of the store that go another way. */
  readonly store?: (real: JobStore) => Partial<JobStore>;
}

const connectionTo = (outputs: LocalOutputs) => ({
  region: outputs.region,
  endpoint: outputs.endpointUrl,
  credentials: emulatorCredentials,
});

/**
 * The product's consumer in this process, on the deployed tables and queues: the same code as the Lambda's, where a drill
 * can hold it still between any two of its calls.
 */
export class Worker {
  readonly evidence: Evidence[] = [];
  readonly #world: ConsumerWorld;

  constructor(outputs: LocalOutputs, parts: WorkerParts) {
    const client = new DynamoDBClient(connectionTo(outputs));
    const config = {
      client,
      jobsTable: outputs.jobsTableName,
      jobTables: { ledger: outputs.ledgerTableName },
      random: systemRandom,
    };
    const store = new DynamoJobStore(config);
    const instead = parts.store?.(store) ?? {};
    this.#world = {
      store: new Proxy<JobStore>(store, {
        get: (real, name: keyof JobStore) => instead[name] ?? real[name].bind(real),
      }),
      slots: new DynamoSlotRegistry(config),
      queue: new SqsJobQueue({
        client: new SQSClient(connectionTo(outputs)),
        queueUrl: outputs.queueUrl,
        deadLetterQueueUrl: outputs.deadLetterQueueUrl,
      }),
      clock: parts.clock ?? systemClock,
      random: systemRandom,
      telemetry: { note: (evidence) => this.evidence.push(evidence), gauge: () => undefined },
      limits: localLimits,
      registry: jobRegistry(defineJob({ type: 'ledger.credit', payload: credit, timeoutSeconds: 5, run: parts.run })),
      runOnce: makeRunOnce(client),
      log: () => ({ info: () => undefined, warn: () => undefined }),
    };
  }

  /** Consumes one message as a batch of its own, with so much time to live. */
  async handle(record: SQSRecord, seconds: number): Promise<'acknowledge' | 'keep'> {
    const end = Date.now() + seconds * 1_000;
    const { batchItemFailures } = await consumeBatch(this.#world, { Records: [record] }, () => end - Date.now());
    return batchItemFailures.length === 0 ? 'acknowledge' : 'keep';
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

  constructor(outputs: LocalOutputs) {
    this.#sqs = new SQSClient(connectionTo(outputs));
    this.#queueUrl = outputs.queueUrl;
  }

  /** Receives a message of this job, which others do not see for so long; messages of other jobs wait for their taker. */
  async take(jobId: string, hiddenSeconds = localLimits.visibilitySeconds): Promise<SQSRecord> {
    const deadline = Date.now() + receiveSecondsMax * 1_000;
    while (Date.now() < deadline) {
      const at = this.#waiting.findIndex((record) => record.body.includes(jobId));
      const [found] = at < 0 ? [] : this.#waiting.splice(at, 1);
      if (found !== undefined) return found;
      const { Messages = [] } = await this.#sqs.send(
        new ReceiveMessageCommand({
          QueueUrl: this.#queueUrl,
          MaxNumberOfMessages: 10,
          VisibilityTimeout: hiddenSeconds,
          WaitTimeSeconds: 1,
          MessageSystemAttributeNames: ['ApproximateReceiveCount'],
          MessageAttributeNames: ['All'],
        }),
      );
      this.#waiting.push(...Messages.map(toRecord));
    }
    throw new Error(`no message of job ${jobId} came within ${receiveSecondsMax} s`);
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
