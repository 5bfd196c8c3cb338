import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoJobStore } from '#adapters/dynamo-job-store.ts';
import { DynamoReconcilerMemory } from '#adapters/dynamo-reconciler-memory.ts';
import { DynamoSlotRegistry } from '#adapters/dynamo-slot-registry.ts';
import { MappingSwitch } from '#adapters/mapping-switch.ts';
import { makeRunOnce } from '#adapters/run-once.ts';
import { SqsJobQueue } from '#adapters/sqs-job-queue.ts';
import { systemClock, systemRandom } from '#adapters/system-world.ts';
import { makeTelemetry } from '#adapters/telemetry.ts';
import type { Limits } from '#core/limits.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import type { ReconcilerWorld } from '#flow/reconcile.ts';
import type { OperatorWorld, World } from '#flow/world.ts';
import type { ApiEnv, ConsumerEnv, OperatorEnv } from './env.ts';
import type { JobRegistry } from './jobs/define-job.ts';

/** The composition root: real adapters behind the ports. One SDK client a service and instance. */
export interface Instance<W extends World> {
  readonly world: W;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** The claim that names the tenant, where the stage does not go by IAM identities. */
  readonly tenantClaim?: string | undefined;
}

/** Every call is bounded: its timeout and its tries together stay below the function's own time (`assertLimits`). */
const clientConfig = (limits: Limits) => ({
  maxAttempts: limits.sdkAttemptsMax,
  requestHandler: {
    connectionTimeout: Math.min(1_000, limits.sdkTimeoutSeconds * 1000),
    requestTimeout: limits.sdkTimeoutSeconds * 1000,
    throwOnRequestTimeout: true,
  },
});

const wire = (env: ApiEnv & Partial<ConsumerEnv & OperatorEnv>) => {
  const limits = env.SLUICE_LIMITS;
  const logger = new Logger();
  const metrics = new Metrics();
  const dynamo = new DynamoDBClient(clientConfig(limits));
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
    }),
    clock: systemClock,
    random: systemRandom,
    telemetry: makeTelemetry(logger, metrics),
    limits,
  };
  return { world, logger, metrics, config };
};

export const wireApi = (env: ApiEnv): Instance<World> => ({ ...wire(env), tenantClaim: env.TENANT_CLAIM });

export const wireConsumer = (env: ConsumerEnv, registry: JobRegistry): Instance<ConsumerWorld> => {
  const { world, logger, metrics, config } = wire(env);
  const log = (jobId: string) => {
    const child = logger.createChild({ persistentKeys: { jobId } });
    return {
      info: (message: string, detail?: object) => child.info(message, { detail }),
      warn: (message: string, detail?: object) => child.warn(message, { detail }),
    };
  };
  return { world: { ...world, registry, runOnce: makeRunOnce(config.client), log }, logger, metrics };
};

const mappingSwitch = (env: OperatorEnv) =>
  new MappingSwitch({
    client: new LambdaClient(clientConfig(env.SLUICE_LIMITS)),
    mappingId: env.EVENT_SOURCE_MAPPING_ID,
  });

export const wireOperator = (env: OperatorEnv): Instance<OperatorWorld> => {
  const { world, logger, metrics } = wire(env);
  return { world: { ...world, consumer: mappingSwitch(env) }, logger, metrics, tenantClaim: env.TENANT_CLAIM };
};

export const wireReconciler = (env: OperatorEnv): Instance<ReconcilerWorld> => {
  const { world, logger, metrics, config } = wire(env);
  return {
    world: { ...world, consumer: mappingSwitch(env), memory: new DynamoReconcilerMemory(config) },
    logger,
    metrics,
  };
};
