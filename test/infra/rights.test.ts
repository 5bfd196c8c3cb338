import { describe, expect, it } from 'vitest';
import { localStage, productionStage } from '#infra/stages.ts';
import { rightsOf } from '#test/support/infra/rights.ts';
import { templateOf } from '#test/support/infra/synthesize.ts';

const logs = ['logs:CreateLogStream own-logs', 'logs:PutLogEvents own-logs'];
// X-Ray knows no resources for these two.
const traces = ['xray:PutTelemetryRecords *', 'xray:PutTraceSegments *'];
const on = (resource: string, service: string, ...actions: string[]) =>
  actions.map((action) => `${service}:${action} ${resource}`);

const records = on('jobs', 'dynamodb', 'GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem');
const lists = ['dead', 'tenant', 'recent'].flatMap((index) => on(`jobs/index/${index}`, 'dynamodb', 'Query'));
const send = on('queue', 'sqs', 'SendMessage', 'GetQueueAttributes');
const sweep = on(
  'dead-letters',
  'sqs',
  'ReceiveMessage',
  'DeleteMessage',
  'ChangeMessageVisibility',
  'GetQueueAttributes',
);

/** Who may do what: the whole of it, so that a right that slips in shows up here. */
const expected: Record<string, string[]> = {
  Api: [...records, ...on('jobs/index/tenant', 'dynamodb', 'Query'), ...send],
  Consumer: [
    ...on('jobs', 'dynamodb', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem').map(
      (right) => `${right} except control, reconciler`,
    ),
    ...on('ledger', 'dynamodb', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
    ...on('queue', 'sqs', 'SendMessage', 'ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility'),
    ...on('queue', 'sqs', 'GetQueueAttributes'),
    ...on('dead-letters', 'sqs', 'SendMessage'),
  ],
  Operator: [
    ...records,
    ...lists,
    ...send,
    ...sweep,
    ...on('mapping', 'lambda', 'GetEventSourceMapping', 'UpdateEventSourceMapping'),
  ],
  Reconcile: [...records, ...send, ...sweep, ...on('mapping', 'lambda', 'GetEventSourceMapping')],
};

/** What a customer-managed key adds: its use through the two services, never by the function itself. */
const useOf = (key: string) =>
  ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo'].map(
    (action) => `kms:${action} ${key} via dynamodb and sqs`,
  );
/** What a VPC adds: Lambda attaches the function by the function's role, and the code that runs in it may not. */
const attaching = [
  'AssignPrivateIpAddresses',
  'CreateNetworkInterface',
  'DeleteNetworkInterface',
  'DescribeNetworkInterfaces',
  'DescribeSubnets',
  'UnassignPrivateIpAddresses',
].flatMap((action) => [`ec2:${action} *`, `not ec2:${action} * by its code`]);

const keyArn = 'arn:aws:kms:eu-west-1:111122223333:key/11111111-2222-3333-4444-555555555555';
const vpc = { vpcId: 'vpc-0123abcd', subnetIds: ['subnet-0123abcd', 'subnet-4567abcd'] };

describe.each([
  { what: 'in the production stage', stage: productionStage, more: traces },
  { what: 'in the local stage', stage: localStage, more: [] },
  { what: 'under a key of its own', stage: { ...localStage, customerManagedKey: true }, more: useOf('key') },
  { what: 'under a key that is there', stage: { ...localStage, existingKeyArn: keyArn }, more: useOf(keyArn) },
  { what: 'in a VPC', stage: { ...localStage, vpc }, more: attaching },
])('rights $what', ({ stage, more }) => {
  const template = templateOf(stage);

  it.each(Object.keys(expected))('%s may do exactly what it needs', (lambda) => {
    expect(rightsOf(template, lambda)).toEqual([...(expected[lambda] ?? []), ...logs, ...more].sort());
  });
});
