import { Stack, Token } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { webhookSettings as settingsSchema } from '../functions/jobs/webhook/settings.ts';
import type { JobFunction } from './job-function.ts';

/** Where `webhook.deliver` may send to, and how. */
export interface WebhookProps {
  /** `host` for the scheme's own port, `host:port`, or `host:*`; in lower case. Empty: every delivery is refused. */
  readonly hosts: readonly string[];
  /** Plain HTTP too. For receivers on the developer's own machine. */
  readonly allowHttp?: boolean;
  /** Addresses that are not public too. For receivers on the developer's own machine. */
  readonly allowPrivateAddresses?: boolean;
  /** Without it deliveries carry no signature. */
  readonly signing?: {
    /**
     * Name of an SSM parameter, a SecureString with `{"current": "…", "previous": "…"}`. It is made outside of this
     * stack, since CloudFormation cannot make one, and no secret belongs in a template.
     */
    readonly parameterName: string;
    /** The customer-managed key that encrypts it; the account's own key for SSM needs no right of its own. */
    readonly keyArn?: string;
  };
}

/**
 * As the consumer reads it: `WEBHOOK_SETTINGS`. Throws for what it would refuse at its first invocation, and with it every
 * job; of what is known at deployment only, nothing can be said.
 */
export const webhookSettings = ({ signing, ...props }: WebhookProps): string => {
  const settings = { ...props, ...(signing && { signingParameter: signing.parameterName }) };
  const hosts = props.hosts.filter((host) => !Token.isUnresolved(host));
  const checked = settingsSchema.safeParse({ ...settings, hosts });
  if (checked.success) return JSON.stringify(settings);
  const lines = checked.error.issues.map(({ path, message }) => `${['webhooks', ...path].join('.')}: ${message}`);
  throw new Error(`${lines.join('\n')}. Given: ${JSON.stringify(settings)}`);
};

/** Reading the signing keys is a right only where there are any. */
export const allowSigning = (consumer: JobFunction, { signing }: WebhookProps): void => {
  if (signing === undefined) return;
  const parameter = Stack.of(consumer).formatArn({
    service: 'ssm',
    resource: 'parameter',
    resourceName: signing.parameterName.replace(/^\//, ''),
  });
  consumer.addToRolePolicy(new PolicyStatement({ actions: ['ssm:GetParameter'], resources: [parameter] }));
  if (signing.keyArn === undefined) return;
  consumer.addToRolePolicy(new PolicyStatement({ actions: ['kms:Decrypt'], resources: [signing.keyArn] }));
};
