import { Annotations, ArnFormat, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { JobFunction } from './job-function.ts';
import type { JobSettings } from './settings.ts';

/** The key for tables, queues and logs, if the settings ask for one that is made for them. */
export const ownKeyFor = (scope: Construct, { customerManagedKey, removalPolicy }: JobSettings): IKey | undefined =>
  customerManagedKey
    ? new Key(scope, 'Key', {
        description: `Tables, queues and logs of ${Stack.of(scope).stackName}.`,
        enableKeyRotation: true,
        removalPolicy,
      })
    : undefined;

/**
 * Lets CloudWatch Logs, which uses the key in its own name, do so for the log groups of this stack. They are named by
 * their pattern: a log group needs the key, so the key cannot refer to it.
 */
export const allowLogs = (scope: Construct, key: IKey): void => {
  const stack = Stack.of(scope);
  const logGroups = stack.formatArn({
    service: 'logs',
    resource: 'log-group',
    resourceName: `${stack.stackName}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  const { statementAdded } = key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${stack.region}.${stack.urlSuffix}`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups } },
    }),
  );
  if (statementAdded) return;
  Annotations.of(scope).addWarningV2(
    'sluice:key-policy',
    'The policy of this key cannot be changed from here. It must let CloudWatch Logs use it for log groups named ' +
      `${stack.stackName}-*, or the deployment fails. docs/configuration.md#a-key-of-your-own has the statement.`,
  );
};

/** What DynamoDB and SQS ask of whoever calls them; CreateGrant is for who makes a table. */
const keyActions = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

/** Lets a function use the key through these services, and never by a call of its own. */
export const allowKey = (to: JobFunction, key: IKey, ...services: readonly ('dynamodb' | 'sqs')[]): void => {
  const { region, urlSuffix } = Stack.of(to);
  to.addToRolePolicy(
    new PolicyStatement({
      actions: [...keyActions],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': services.map((name) => `${name}.${region}.${urlSuffix}`) } },
    }),
  );
};
