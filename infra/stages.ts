import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type Limits, localLimits, productionLimits } from '../functions/core/limits.ts';
import type { WebhookProps } from './webhooks.ts';

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
  /** Each tenant's messages in a group of their own, so that one tenant's backlog does not delay the others. */
  readonly fairQueues: boolean;
  /** The claim of an authorizer that names the tenant; without it the IAM identity does. */
  readonly tenantClaim?: string;
  readonly webhooks: WebhookProps;
  readonly tracing: boolean;
  readonly logRetention: RetentionDays;
  /** API Gateway's own throttle for the whole API; above it callers meet 429 `rate-limited`. */
  readonly requestsPerSecond: number;
  readonly requestsBurst: number;
  /** A WAFv2 web ACL of the same region, before the API. */
  readonly webAclArn?: string;
  /** Where alarms go, the way back to OK included; without it they only show in CloudWatch and on the dashboard. */
  readonly alarmTopicArn?: string;
  /** Also the alarms that are computed from several metrics. The emulator's CloudFormation refuses those. */
  readonly metricMathAlarms: boolean;
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
  fairQueues: true,
  // Name your receivers here, and the parameter with the signing keys.
  webhooks: { hosts: [] },
  tracing: true,
  logRetention: RetentionDays.THREE_MONTHS,
  requestsPerSecond: 1_000,
  requestsBurst: 2_000,
  // Name your SNS topic here: alarmTopicArn; and your web ACL, if the API shall have one: webAclArn.
  metricMathAlarms: true,
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
  webhooks: { hosts: ['127.0.0.1:*', 'localhost:*'], allowHttp: true, allowPrivateAddresses: true },
  tracing: false,
  logRetention: RetentionDays.ONE_DAY,
  requestsPerSecond: 10_000,
  requestsBurst: 5_000,
  metricMathAlarms: false,
};
