import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { JobFunction } from './job-function.ts';
import type { JobQueue } from './job-queue.ts';
import type { JobTables } from './job-table.ts';

/** What rights are given over. */
export interface Resources {
  readonly tables: JobTables;
  readonly queue: JobQueue;
  readonly mapping: EventSourceMapping;
}

const allow = (to: JobFunction, actions: readonly string[], ...resources: string[]): void =>
  to.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));

const recordActions = [
  'dynamodb:GetItem',
  'dynamodb:BatchGetItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
];
const sendActions = ['sqs:SendMessage', 'sqs:GetQueueAttributes'];
const sweepActions = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibility',
  'sqs:GetQueueAttributes',
];

const indexArns = (table: Table, ...indexes: readonly string[]): string[] =>
  indexes.map((index) => `${table.tableArn}/index/${index}`);

/** Takes jobs in, shows and lists a tenant's own: by key and index, the main queue only to send and to count. */
export const allowApi = (api: JobFunction, { tables, queue }: Resources): void => {
  allow(api, recordActions, tables.jobs.tableArn);
  allow(api, ['dynamodb:Query'], ...indexArns(tables.jobs, 'tenant'));
  allow(api, sendActions, queue.main.queueArn);
};

/**
 * Runs jobs. A transaction needs the rights of the single calls that it is made of. On the ledger the consumer may write
 * and check, never read: a handler returns writes and reads nothing.
 */
export const allowConsumer = (consumer: JobFunction, { tables, queue }: Omit<Resources, 'mapping'>): void => {
  allow(
    consumer,
    [
      'dynamodb:GetItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
      'dynamodb:DeleteItem',
      'dynamodb:ConditionCheckItem',
    ],
    tables.jobs.tableArn,
  );
  allow(
    consumer,
    ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
    tables.ledger.tableArn,
  );
  allow(consumer, ['sqs:SendMessage', ...sweepActions], queue.main.queueArn);
  allow(consumer, ['sqs:SendMessage'], queue.deadLetters.queueArn);
};

const allowUpkeep = (to: JobFunction, { tables, queue }: Resources): void => {
  allow(to, recordActions, tables.jobs.tableArn);
  allow(to, sendActions, queue.main.queueArn);
  allow(to, sweepActions, queue.deadLetters.queueArn);
};

/** Lists, redrives, sets the capacity, and alone may pause and resume the consumer's mapping. */
export const allowOperator = (operator: JobFunction, resources: Resources): void => {
  allowUpkeep(operator, resources);
  allow(operator, ['dynamodb:Query'], ...indexArns(resources.tables.jobs, 'dead', 'tenant', 'recent'));
  allow(
    operator,
    ['lambda:GetEventSourceMapping', 'lambda:UpdateEventSourceMapping'],
    resources.mapping.eventSourceMappingArn,
  );
};

/** Repairs what a crash left: like the operator, but it only looks at whether the consumer is paused. */
export const allowReconcile = (reconcile: JobFunction, resources: Resources): void => {
  allowUpkeep(reconcile, resources);
  allow(reconcile, ['lambda:GetEventSourceMapping'], resources.mapping.eventSourceMappingArn);
};
