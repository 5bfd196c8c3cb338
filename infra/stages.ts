import { fileURLToPath } from 'node:url';
import type { JobEntries } from './job-function.ts';
import { type JobSettings, localSettings, productionSettings } from './settings.ts';

/** Everything in which one stage may differ from another: the settings, and by ARN or id what is there already. */
export interface StageProps extends JobSettings {
  readonly name: 'production' | 'local';
  readonly entries: JobEntries;
  /** Encrypts tables, queues and logs, instead of a key that is made. Its policy must allow that: see docs/configuration.md. */
  readonly existingKeyArn?: string;
  /** Where alarms go, the way back to OK included; without it they only show in CloudWatch and on the dashboard. */
  readonly alarmTopicArn?: string;
  readonly vpc?: StageVpc;
  readonly domain?: StageDomain;
}

/** A VPC that the functions run in. docs/configuration.md says what it must lead to. */
export interface StageVpc {
  readonly vpcId: string;
  /** Private ones, in at least two zones. */
  readonly subnetIds: readonly string[];
  /** Instead of one that is made: nothing in, and out to TCP 443 and the ports of webhook hosts. */
  readonly securityGroupIds?: readonly string[];
}

/** A name of your own for the API. */
export interface StageDomain {
  readonly name: string;
  /** From ACM, in the stack's region. */
  readonly certificateArn: string;
  /** Gets a record for the name. Without it make one elsewhere, to the output `DomainTarget`. */
  readonly hostedZone?: { readonly id: string; readonly name: string };
}

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

/**
 * The stage for real jobs. To it belong, if you want them: your webhook receivers (`webhooks`), your SNS topic
 * (`alarmTopicArn`), your web ACL (`webAclArn`), your key, VPC and domain.
 */
export const productionStage: StageProps = {
  ...productionSettings,
  name: 'production',
  entries: {
    api: file('functions/entries/api.ts'),
    consumer: file('functions/entries/consumer.ts'),
    operator: file('functions/operator.ts'),
    reconcile: file('functions/reconcile.ts'),
  },
};

/**
 * The stage on the developer's own machine. Beside its settings it differs in its job registry: the two Lambdas that know
 * job types are built from entries that also know the scripted test job.
 */
export const localStage: StageProps = {
  ...localSettings,
  name: 'local',
  entries: {
    ...productionStage.entries,
    api: file('test/support/entries/api.ts'),
    consumer: file('test/support/entries/consumer.ts'),
  },
};
