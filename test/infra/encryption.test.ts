import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { localStage, productionStage, type StageProps } from '#infra/stages.ts';
import { inStackOf, resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

const keyArn = 'arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-3333-4444-555555555555';

/** The key that each table, queue and log group is encrypted with. */
const keysIn = (template: Template): unknown[] => [
  ...Object.values(resourcesOf(template, 'AWS::DynamoDB::Table')).map(({ Properties }) => {
    expect(Properties.SSESpecification).toMatchObject({ SSEEnabled: true, SSEType: 'KMS' });
    return Properties.SSESpecification.KMSMasterKeyId;
  }),
  ...Object.values(resourcesOf(template, 'AWS::SQS::Queue')).map(({ Properties }) => Properties.KmsMasterKeyId),
  ...Object.values(resourcesOf(template, 'AWS::Logs::LogGroup')).map(({ Properties }) => Properties.KmsKeyId),
];

/** Two tables, two queues, the logs of four functions and the access log. */
const all = (key: unknown): unknown[] => Array(9).fill(key);

const keyOf = (stage: StageProps) => {
  const template = templateOf({ ...stage, customerManagedKey: true });
  const keys = Object.entries(resourcesOf(template, 'AWS::KMS::Key'));
  expect(keys).toHaveLength(1);
  const [[id, key] = ['', undefined]] = keys;
  return { template, id, key };
};

describe('a customer-managed key', () => {
  it('is none unless asked for', () => {
    expect(resourcesOf(templateOf(productionStage), 'AWS::KMS::Key')).toEqual({});
  });

  it('encrypts every table, queue and log group', () => {
    const { template, id } = keyOf(productionStage);
    expect(keysIn(template)).toEqual(all({ 'Fn::GetAtt': [id, 'Arn'] }));
  });

  it('is rotated, and goes when the tables go: in production never', () => {
    expect(keyOf(productionStage).key).toMatchObject({
      Properties: { EnableKeyRotation: true },
      DeletionPolicy: 'Retain',
    });
    expect(keyOf(localStage).key?.DeletionPolicy).toBe('Delete');
  });

  it('may be used by whom the account’s policies let, and by CloudWatch Logs for the log groups of this stack', () => {
    const { Statement: statements } = keyOf(productionStage).key?.Properties.KeyPolicy ?? {};
    expect(statements).toEqual([
      expect.objectContaining({ Effect: 'Allow', Action: 'kms:*', Principal: { AWS: expect.anything() } }),
      {
        Effect: 'Allow',
        Action: ['kms:Decrypt', 'kms:DescribeKey', 'kms:Encrypt', 'kms:GenerateDataKey*', 'kms:ReEncrypt*'],
        Resource: '*',
        Principal: {
          Service: { 'Fn::Join': ['', ['logs.', { Ref: 'AWS::Region' }, '.', { Ref: 'AWS::URLSuffix' }]] },
        },
        Condition: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': { 'Fn::Join': ['', expect.any(Array)] } } },
      },
    ]);
    expect(JSON.stringify(statements[0].Principal)).toMatch(/:root"/);
    const arn: unknown[] = statements[1].Condition.ArnLike['kms:EncryptionContext:aws:logs:arn']['Fn::Join'][1];
    expect(arn.at(-1)).toBe(':log-group:sluice-under-test-*');
  });
});

describe('a key that is there already', () => {
  const stage = { ...productionStage, existingKeyArn: keyArn };

  it('is used in place of one that is made', () => {
    const template = templateOf({ ...stage, customerManagedKey: true });
    expect(resourcesOf(template, 'AWS::KMS::Key')).toEqual({});
    // SQS takes a key by its ARN or its id; CDK gives the ARN.
    expect(keysIn(template)).toEqual(all(keyArn));
  });

  it('is warned about: its policy must let CloudWatch Logs use it', () => {
    inStackOf(stage, (stack) => {
      Annotations.fromStack(stack).hasWarning('*', Match.stringLikeRegexp('It must let CloudWatch Logs use it'));
    });
    inStackOf({ ...productionStage, customerManagedKey: true }, (stack) => {
      Annotations.fromStack(stack).hasNoWarning('*', Match.stringLikeRegexp('CloudWatch Logs'));
      expect(resourcesOf(Template.fromStack(stack), 'AWS::KMS::Key')).not.toEqual({});
    });
  });
});
