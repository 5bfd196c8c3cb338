import { describe, expect, test } from 'vitest';
import { productionStage } from '#infra/stages.ts';
import { templateOf } from '#test/support/infra/synthesize.ts';
import type { Template } from '../../deploy/assembly.ts';
import { retainedOf } from '../../deploy/retained.ts';

describe('what npm run destroy leaves behind', () => {
  const template = templateOf(productionStage).toJSON() as Template;

  test('of production: tables, logs, and the account-wide setting of API Gateway with its role', () => {
    const counts = Object.groupBy(retainedOf(template, new Map()), ({ type }) => type);
    expect(Object.fromEntries(Object.entries(counts).map(([type, all]) => [type, all?.length]))).toEqual({
      'AWS::DynamoDB::Table': 2,
      'AWS::Logs::LogGroup': 5,
      'AWS::IAM::Role': 1,
      'AWS::ApiGateway::Account': 1,
    });
  });

  test('is told by name, with the command that deletes it', () => {
    const ids = new Map([
      ['Jobs', 'jobs-1'],
      ['Logs', '/logs/1'],
    ]);
    const retained = (Type: string) => ({ Type, DeletionPolicy: 'Retain' });
    const own: Template = {
      Resources: {
        Jobs: retained('AWS::DynamoDB::Table'),
        Logs: retained('AWS::Logs::LogGroup'),
        Queue: { Type: 'AWS::SQS::Queue', DeletionPolicy: 'Delete' },
        New: retained('AWS::S3::Bucket'),
      },
    };
    expect(retainedOf(own, ids)).toEqual([
      {
        type: 'AWS::DynamoDB::Table',
        name: 'jobs-1',
        advice:
          'aws dynamodb update-table --table-name jobs-1 --no-deletion-protection-enabled && aws dynamodb delete-table --table-name jobs-1',
      },
      { type: 'AWS::Logs::LogGroup', name: '/logs/1', advice: 'aws logs delete-log-group --log-group-name /logs/1' },
      { type: 'AWS::S3::Bucket', name: 'New', advice: 'delete it by hand when nobody needs it' },
    ]);
  });
});
