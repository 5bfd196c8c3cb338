import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { attributeNames } from '#adapters/sqs-job-queue.ts';
import { describeFailure } from '#core/failure.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import { type Batch, consume, freeSlots } from '#flow/consume.ts';
import { NotDone, type Received } from '#flow/received.ts';
import { Turns } from '#flow/turns.ts';
import { readConsumerEnv } from './env.ts';
import { onInstance } from './invocation.ts';
import type { JobRegistry } from './jobs/define-job.ts';
import { wireConsumer } from './wiring/consumer.ts';

const received = (record: SQSRecord): Received => ({
  messageId: record.messageId,
  receipt: record.receiptHandle,
  body: record.body,
  receiveCount: Number(record.attributes.ApproximateReceiveCount),
  putOffs: Math.min(100, Number(record.messageAttributes[attributeNames.putOffs]?.stringValue ?? 0) || 0),
});

/** One pass of Powertools' batch processor; a failure is reported for its record alone, whatever was thrown. */
const pass = (world: ConsumerWorld, batch: Batch, records: readonly SQSRecord[], alone: boolean) =>
  processPartialResponse(
    { Records: [...records] },
    async (record: SQSRecord) => {
      try {
        await consume(world, batch, received(record), alone);
      } catch (error) {
        if (!(error instanceof NotDone)) {
          const detail = { ...describeFailure(error), messageId: record.messageId };
          world.telemetry.note({ metric: 'StepsFailed', code: 'delivery', level: 'error', detail });
        }
        throw error instanceof Error ? error : new Error('something was thrown that is not an error');
      }
    },
    new BatchProcessor(EventType.SQS),
    { throwOnFullBatchFailure: false, processInParallel: !alone },
  );

/**
 * A batch in three passes: suspects that were put off too often, alone and first; then all others side by side; then the
 * suspects that were met among them, one at a time, those with the fewest attempts first.
 */
export const consumeBatch = async (
  world: ConsumerWorld,
  event: SQSEvent,
  remainingMs: () => number,
): Promise<SQSBatchResponse> => {
  const batch: Batch = { remainingMs, turns: new Turns(), freed: [], suspects: [] };
  const urgent = event.Records.filter((record) => received(record).putOffs >= world.limits.suspectPutOffsMax);
  const others = event.Records.filter((record) => !urgent.includes(record));
  const first = await pass(world, batch, urgent, true);
  const second = await pass(world, batch, others, false);
  const last = batch.suspects
    .toSorted((a, b) => a.attempt - b.attempt)
    .flatMap((suspect) => others.find((record) => record.messageId === suspect.received.messageId) ?? []);
  const third = await pass(world, batch, last, true);
  await freeSlots(world, batch.freed);
  return { batchItemFailures: [first, second, third].flatMap((response) => response.batchItemFailures) };
};

export const createHandler = (jobs: JobRegistry) =>
  onInstance(
    () => wireConsumer(readConsumerEnv(), jobs),
    ({ world }, event: SQSEvent, context) => consumeBatch(world, event, () => context.getRemainingTimeInMillis()),
  );
