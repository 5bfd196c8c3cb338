import { describe, expect, it } from 'vitest';
import { localStage, productionStage } from '#infra/stages.ts';
import { resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

/**
 * Logical ids as they were first deployed. CloudFormation replaces what comes under another one: a table would be left
 * behind with its jobs, the API would get another URL, and what has a fixed name could not be made at all.
 */
const deployed: Record<string, readonly string[]> = {
  'AWS::DynamoDB::Table': ['TablesJobs313634AE', 'TablesLedgerF9806C8B'],
  'AWS::SQS::Queue': ['QueueDeadLetters9B423CAD', 'QueueJobs56C962C9'],
  'AWS::Logs::LogGroup': [
    'ApiLogs3D05D88B',
    'ConsumerLogsE1B78D1C',
    'HttpAccessLogC8763DB1',
    'OperatorLogs2FF732B9',
    'ReconcileLogs36C88C19',
  ],
  'AWS::Lambda::Function': ['ApiF70053CD', 'Consumer8D6BE417', 'Operator41AE602D', 'ReconcileD51D4F4F'],
  'AWS::Lambda::EventSourceMapping': ['MappingE24B359D'],
  'AWS::ApiGateway::RestApi': ['HttpRestC0A5481E'],
  'AWS::IAM::ManagedPolicy': ['AccessOperateCA6B3E73', 'AccessSubmit6B54C018'],
  'AWS::CloudWatch::Dashboard': ['Dashboard9E4231ED'],
};

describe.each([productionStage, localStage])('an upgrade of the $name stage', (stage) => {
  const template = templateOf(stage);
  // The same when a key, a VPC or a domain is added to what is there.
  const withAll = templateOf({
    ...stage,
    customerManagedKey: true,
    vpc: { vpcId: 'vpc-0123abcd', subnetIds: ['subnet-0123abcd', 'subnet-4567abcd'] },
    domain: { name: 'jobs.example.com', certificateArn: 'arn:aws:acm:eu-west-1:111111111111:certificate/1' },
  });

  it.each(Object.keys(deployed))('replaces no %s', (type) => {
    expect(Object.keys(resourcesOf(template, type)).sort()).toEqual(deployed[type]);
    expect(Object.keys(resourcesOf(withAll, type)).sort()).toEqual(deployed[type]);
  });

  it('changes nothing of a table or a queue that CloudFormation would replace it for', () => {
    const keys = ['KeySchema', 'TableName', 'QueueName', 'FifoQueue'];
    const fixed = (of: typeof template) =>
      ['AWS::DynamoDB::Table', 'AWS::SQS::Queue'].flatMap((type) =>
        Object.values(resourcesOf(of, type)).map(({ Properties }) => keys.map((key) => Properties[key])),
      );
    expect(fixed(withAll)).toEqual(fixed(template));
  });
});
