import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type Limits, localLimits, productionLimits } from '../functions/core/limits.ts';

/** Which file each Lambda is built from, relative to the project's root. */
export interface StageEntries {
  readonly api: string;
  readonly consumer: string;
  readonly operator: string;
  readonly reconcile: string;
}

/** Everything in which one deployment may differ from another. Sizes and bounds are in `limits` only. */
export interface StageProps {
  readonly name: 'production' | 'local';
  readonly limits: Limits;
  readonly entries: StageEntries;
  /** Refuse queue calls without TLS. The emulator speaks plain HTTP, and it does enforce queue policies. */
  readonly enforceSSL: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly deletionProtection: boolean;
  /** What becomes of tables and logs when the stack is destroyed. Queues always go: the records are the truth. */
  readonly removalPolicy: RemovalPolicy;
  readonly tracing: boolean;
  readonly logRetention: RetentionDays;
  /** API Gateway's own throttle for the whole API; above it callers meet 429 `rate-limited`. */
  readonly requestsPerSecond: number;
  readonly requestsBurst: number;
}

/** The real thing: nothing in it is lost by a slip of the hand. */
export const productionStage: StageProps = {
  name: 'production',
  limits: productionLimits,
  entries: {
    api: 'functions/api.ts',
    consumer: 'functions/consumer.ts',
    operator: 'functions/operator.ts',
    reconcile: 'functions/reconcile.ts',
  },
  enforceSSL: true,
  pointInTimeRecovery: true,
  deletionProtection: true,
  removalPolicy: RemovalPolicy.RETAIN,
  tracing: true,
  logRetention: RetentionDays.THREE_MONTHS,
  requestsPerSecond: 1_000,
  requestsBurst: 2_000,
};

/**
 * The stage on the developer's own machine. It differs in times, in protection of data, and in its job registry: the
 * two Lambdas that know job types are built from entries that also know the scripted test job.
 */
export const localStage: StageProps = {
  ...productionStage,
  name: 'local',
  limits: localLimits,
  entries: {
    ...productionStage.entries,
    api: 'test/support/entries/api.ts',
    consumer: 'test/support/entries/consumer.ts',
  },
  enforceSSL: false,
  pointInTimeRecovery: false,
  deletionProtection: false,
  removalPolicy: RemovalPolicy.DESTROY,
  tracing: false,
  logRetention: RetentionDays.ONE_DAY,
  requestsPerSecond: 10_000,
  requestsBurst: 5_000,
};
