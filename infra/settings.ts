import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type Limits, localLimits, productionLimits } from '../functions/core/limits.ts';
import type { WebhookProps } from './webhooks.ts';

/** In what one job system may differ from another, beside what it stands among. Sizes and bounds are in `limits` only. */
export interface JobSettings {
  readonly limits: Limits;
  /** Refuse queue calls without TLS. The emulator speaks plain HTTP, and it does enforce queue policies. */
  readonly enforceSSL: boolean;
  readonly pointInTimeRecovery: boolean;
  readonly deletionProtection: boolean;
  /** What becomes of tables, logs and key when the stack is destroyed. Queues always go: the records are the truth. */
  readonly removalPolicy: RemovalPolicy;
  /**
   * Tables, queues and logs under a KMS key that is made for them, rotated, and kept or removed as the tables are.
   * Without it the keys are AWS's own. `existingKey` takes a key of yours instead.
   */
  readonly customerManagedKey: boolean;
  /** Each tenant's messages in a group of their own, so that one tenant's backlog does not delay the others. */
  readonly fairQueues: boolean;
  /** The claim of an authorizer that names the tenant; without it the IAM identity does. */
  readonly tenantClaim?: string;
  /** Where `webhook.deliver` may send to, if the registry has that job type. */
  readonly webhooks: WebhookProps;
  readonly tracing: boolean;
  /** Of the functions' logs and of the API's access log. */
  readonly logRetention: RetentionDays;
  /** API Gateway's own throttle for the whole API; above it callers meet 429 `rate-limited`. */
  readonly requestsPerSecond: number;
  readonly requestsBurst: number;
  /** A WAFv2 web ACL of the same region, before the API. */
  readonly webAclArn?: string;
  /** Also the alarms that are computed from several metrics. The emulator's CloudFormation refuses those. */
  readonly metricMathAlarms: boolean;
}

/** The real thing: nothing in it is lost by a slip of the hand. */
export const productionSettings: JobSettings = {
  limits: productionLimits,
  enforceSSL: true,
  pointInTimeRecovery: true,
  deletionProtection: true,
  removalPolicy: RemovalPolicy.RETAIN,
  customerManagedKey: false,
  fairQueues: true,
  webhooks: { hosts: [] },
  tracing: true,
  logRetention: RetentionDays.THREE_MONTHS,
  requestsPerSecond: 1_000,
  requestsBurst: 2_000,
  metricMathAlarms: true,
};

/** For an emulator on the developer's own machine: short times, nothing kept, nothing that it cannot deploy. */
export const localSettings: JobSettings = {
  ...productionSettings,
  limits: localLimits,
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
