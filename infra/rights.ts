import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { allowKey } from './encryption.ts';
import type { JobFunction } from './job-function.ts';
import type { JobQueue } from './job-queue.ts';

/** A table that handlers write to, made in the same app or imported: any of CDK's tables. */
export interface HandlerTable {
  readonly tableName: string;
  readonly tableArn: string;
  readonly encryptionKey?: IKey | undefined;
}

/** What rights are given over. */
export interface Resources {
  readonly jobs: Table;
  readonly queue: JobQueue;
  readonly mapping: EventSourceMapping;
  /** What encrypts table and queues, where it is not a key of AWS. */
  readonly key: IKey | undefined;
}

const allow = (to: JobFunction, actions: readonly string[], ...resources: string[]): void =>
  to.addToRolePolicy(new PolicyStatement({ actions: [...actions], resources }));

/** Items of the jobs table that belong to the operators: the intake and capacity that they have set, and the reconciler's lock. */
const operatorsItems = ['control', 'reconciler'];

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
export const allowApi = (api: JobFunction, { jobs, queue, key }: Omit<Resources, 'mapping'>): void => {
  allow(api, recordActions, jobs.tableArn);
  allow(api, ['dynamodb:Query'], ...indexArns(jobs, 'tenant'));
  allow(api, sendActions, queue.main.queueArn);
  if (key) allowKey(api, key, 'dynamodb', 'sqs');
};

/**
 * Runs jobs. A transaction needs the rights of the single calls that it is made of. As the one that runs handlers, the
 * consumer is kept from the operators' items by their keys. (The API makes the first of them, and IAM cannot tell a first
 * put from another.)
 */
export const allowConsumer = (consumer: JobFunction, { jobs, queue, key }: Omit<Resources, 'mapping'>): void => {
  consumer.addToRolePolicy(
    new PolicyStatement({
      actions: [
        'dynamodb:GetItem',
        'dynamodb:PutItem',
        'dynamodb:UpdateItem',
        'dynamodb:DeleteItem',
        'dynamodb:ConditionCheckItem',
      ],
      resources: [jobs.tableArn],
      conditions: { 'ForAllValues:StringNotEquals': { 'dynamodb:LeadingKeys': operatorsItems } },
    }),
  );
  allow(consumer, ['sqs:SendMessage', ...sweepActions], queue.main.queueArn);
  allow(consumer, ['sqs:SendMessage'], queue.deadLetters.queueArn);
  if (key) allowKey(consumer, key, 'dynamodb', 'sqs');
};

/**
 * On a table that handlers write to, the consumer may write and check, never read: a handler returns writes and reads
 * nothing. One that must read needs a grant of its own.
 */
export const allowHandlerWrites = (consumer: JobFunction, table: HandlerTable, ownKey: IKey | undefined): void => {
  allow(
    consumer,
    ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'],
    table.tableArn,
  );
  const { encryptionKey } = table;
  if (encryptionKey && encryptionKey.keyArn !== ownKey?.keyArn) allowKey(consumer, encryptionKey, 'dynamodb');
};

const allowUpkeep = (to: JobFunction, { jobs, queue, key }: Resources): void => {
  allow(to, recordActions, jobs.tableArn);
  allow(to, sendActions, queue.main.queueArn);
  allow(to, sweepActions, queue.deadLetters.queueArn);
  if (key) allowKey(to, key, 'dynamodb', 'sqs');
};

/** Lists, redrives, sets the capacity, and alone may pause and resume the consumer's mapping. */
export const allowOperator = (operator: JobFunction, resources: Resources): void => {
  allowUpkeep(operator, resources);
  allow(operator, ['dynamodb:Query'], ...indexArns(resources.jobs, 'dead', 'tenant', 'recent'));
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
