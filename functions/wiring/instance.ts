import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { refuseOldCalls } from '#adapters/call-age.ts';
import { DynamoJobStore } from '#adapters/dynamo-job-store.ts';
import { DynamoSlotRegistry } from '#adapters/dynamo-slot-registry.ts';
import { SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { systemClock, systemRandom } from '#adapters/system-world.ts';
import { makeTelemetry } from '#adapters/telemetry.ts';
import type { Limits } from '#core/limits.ts';
import type { World } from '#flow/world.ts';
import { type ApiEnv, type ConsumerEnv, type OperatorEnv, readTraceHeader } from '../env.ts';

/**
 * The composition root: real adapters behind the ports, one SDK client a service and instance. It has a file for each
 * Lambda, because a bundle carries whatever its wiring names, used or not.
 */
export interface Instance<W extends World> {
  readonly world: W;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The claim that names the tenant, where the stage does not go by IAM identities. */
  readonly tenantClaim?: string | undefined;
}

/**
 * Every call is bounded. In API, operator and reconciler its tries together stay below the function's own time
 * (`assertLimits`); a consumer whose calls hang that long is ended by its time-out, and the lease by itself.
 */
export const clientConfig = (limits: Limits) => ({
  maxAttempts: limits.sdkAttemptsMax,
  requestHandler: {
    connectionTimeout: Math.min(1_000, limits.sdkTimeoutSeconds * 1000),
    requestTimeout: limits.sdkTimeoutSeconds * 1000,
    throwOnRequestTimeout: true,
  },
});

/** What all four share. */
export const wire = (env: ApiEnv & Partial<ConsumerEnv & OperatorEnv>) => {
  const limits = env.SLUICE_LIMITS;
  const logger = new Logger();
  const metrics = new Metrics();
  const dynamo = new DynamoDBClient(clientConfig(limits));
  refuseOldCalls(dynamo, limits.callAgeMaxSeconds * 1000, systemClock.now);
  const config = {
    client: dynamo,
    jobsTable: env.JOBS_TABLE_NAME,
    jobTables: env.JOB_TABLES ?? {},
    random: systemRandom,
  };
  const world: World = {
    store: new DynamoJobStore(config),
    slots: new DynamoSlotRegistry(config),
    queue: new SqsJobQueue({
      client: new SQSClient(clientConfig(limits)),
      queueUrl: env.QUEUE_URL,
      deadLetterQueueUrl: env.DEAD_LETTER_QUEUE_URL,
      fairQueues: env.FAIR_QUEUES,
      traceHeader: readTraceHeader,
    }),
    clock: systemClock,
    random: systemRandom,
    telemetry: makeTelemetry(logger, metrics),
    limits,
  };
  return { world, logger, metrics, config };
};
