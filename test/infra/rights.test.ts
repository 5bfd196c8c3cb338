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
    ...on('jobs', 'dynamodb', 'GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'),
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

describe.each([productionStage, localStage])('rights in the $name stage', (stage) => {
  const template = templateOf(stage);

  it.each(Object.keys(expected))('%s may do exactly what it needs', (lambda) => {
    const whole = [...(expected[lambda] ?? []), ...logs, ...(stage.tracing ? traces : [])].sort();
    expect(rightsOf(template, lambda)).toEqual(whole);
  });
});
