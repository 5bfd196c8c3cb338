import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoJobStore } from '#adapters/dynamo-job-store.ts';
import { DynamoSlotRegistry } from '#adapters/dynamo-slot-registry.ts';
import { SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { systemClock, systemRandom } from '#adapters/system-world.ts';
import type { Limits } from '#core/limits.ts';
import type { World } from '#flow/world.ts';
import type { Clock, Telemetry } from '#functions/ports.ts';
import { connectionTo, type Place } from './place.ts';

interface WorldParts {
  readonly dynamo: DynamoDBClient;
  readonly limits: Limits;
  readonly telemetry: Telemetry;
  readonly clock?: Clock | undefined;
}

/** The real adapters in this process, as `wiring/` puts them together in a Lambda. */
export const worldOn = (place: Place, { dynamo, limits, telemetry, clock = systemClock }: WorldParts): World => {
  const config = {
    client: dynamo,
    jobsTable: place.jobsTableName,
    jobTables: { ledger: place.ledgerTableName },
    random: systemRandom,
  };
  return {
    store: new DynamoJobStore(config),
    slots: new DynamoSlotRegistry(config),
    queue: new SqsJobQueue({
      client: new SQSClient(connectionTo(place)),
      queueUrl: place.queueUrl,
      deadLetterQueueUrl: place.deadLetterQueueUrl,
    }),
    clock,
    random: systemRandom,
    telemetry,
    limits,
  };
};
