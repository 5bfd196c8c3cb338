import { fileURLToPath } from 'node:url';
import { CfnOutput, Duration, Stack, Token } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct, type IConstruct } from 'constructs';
import { assertLimits, type Limits } from '../functions/core/limits.ts';
import { JobAccess } from './access.ts';
import { JobAlarms } from './alarms.ts';
import { JobApi } from './api.ts';
import { addDashboard } from './dashboard.ts';
import type { DomainProps } from './domain.ts';
import { allowLogs, ownKeyFor } from './encryption.ts';
import { type JobEntries, JobFunction } from './job-function.ts';
import { JobQueue } from './job-queue.ts';
import { type JobSystem, systemNameOf } from './job-system.ts';
import { JobTables } from './job-table.ts';
import { type NetworkProps, networkFor } from './network.ts';
import {
  allowApi,
  allowConsumer,
  allowHandlerWrites,
  allowOperator,
  allowReconcile,
  type HandlerTable,
} from './rights.ts';
import { type JobSettings, productionSettings } from './settings.ts';
import { allowSigning, webhookSettings } from './webhooks.ts';

/** Whatever is left out is as in production: see `productionSettings`, and `productionLimits` for `limits`. */
export interface BoundedJobQueueProps extends Partial<Omit<JobSettings, 'limits'>>, NetworkProps {
  /**
   * Absolute paths of the two files that are built with your job registry: they export the `handler` that
   * `createHandler(registry)` of `sluice/functions/api` and `sluice/functions/consumer` makes, with one registry for
   * both. Operator and reconciler know no job types.
   */
  readonly entries: Pick<JobEntries, 'api' | 'consumer'> & Partial<JobEntries>;
  /** Functions, queues, alarms and metrics are named after it. The stack's and the construct's names unless told. */
  readonly name?: string;
  readonly limits?: Partial<Limits>;
  /** The tables that handlers write to, by the names that the writes use. The consumer may write to them, not read. */
  readonly existingTables?: Readonly<Record<string, HandlerTable>>;
  /** Encrypts tables, queues and logs. Its policy must let IAM policies give rights, which is the default. */
  readonly existingKey?: IKey;
  /** Where alarms go, the way back to OK included; without it they only show in CloudWatch and on the dashboard. */
  readonly existingAlarmTopic?: ITopic;
  readonly domain?: DomainProps;
}

/**
 * A whole job system: a table, a queue with its dead-letter queue, four Lambdas, the API before two of them, the mapping
 * that feeds the consumer, the schedule that runs the reconciler, and the alarms and the dashboard over it all.
 *
 * Table, queues and API are always its own: keys and indexes, expiry, visibility, redrive and retention are what the
 * guarantees stand on, and none of it can be checked at synth of something that is there already.
 * Throws `LimitsError` when the numbers contradict one another, so that no such system is ever deployed.
 */
export class BoundedJobQueue extends Construct {
  readonly name: string;
  readonly jobsTable: Table;
  readonly queue: JobQueue;
  readonly api: JobFunction;
  /** Runs the handlers: what they need beyond `existingTables` is granted to it. */
  readonly consumer: JobFunction;
  readonly operator: JobFunction;
  readonly reconcile: JobFunction;
  readonly rest: RestApi;
  /** With a slash at its end; `jobs` behind it takes jobs in. */
  readonly apiUrl: string;
  readonly alarms: readonly Alarm[];
  readonly #mapping: EventSourceMapping;
  readonly #access: JobAccess;
  readonly #domainTarget: string | undefined;

  constructor(scope: Construct, id: string, props: BoundedJobQueueProps) {
    super(scope, id);
    const settings = settingsOf(props);
    const key = props.existingKey ?? ownKeyFor(this, settings);
    if (key) allowLogs(this, key);
    this.name = systemNameOf(this, props.name);
    refuseTwin(this);
    const network = networkFor(this, props, settings.webhooks.hosts);
    const system: JobSystem = { name: this.name, settings, key, network };

    this.jobsTable = new JobTables(this, 'Tables', system).jobs;
    this.queue = new JobQueue(this, 'Queue', system);
    const entries = { ...ownEntries, ...props.entries };
    this.consumer = this.#addConsumer(system, entries.consumer, props.existingTables ?? {});
    this.#mapping = this.#addMapping(settings.limits);
    this.api = this.#addApi(system, entries.api);
    this.operator = this.#addOperator(system, entries.operator);
    this.reconcile = this.#addReconciler(system, entries.reconcile);

    const http = new JobApi(this, 'Http', { system, api: this.api, operator: this.operator, domain: props.domain });
    this.rest = http.rest;
    this.apiUrl = http.url;
    this.#domainTarget = http.domainTarget;
    this.#access = new JobAccess(this, 'Access', this.rest);

    const { api, consumer, operator, reconcile } = this;
    const watched = { queue: this.queue, rest: this.rest, functions: { api, consumer, operator, reconcile } };
    this.alarms = new JobAlarms(this, 'Alarms', system, watched, props.existingAlarmTopic).all;
    addDashboard(this, this.name, watched, this.alarms);
  }

  /** Lets it submit, see, list and cancel jobs of its own. */
  grantSubmit(grantee: IGrantable): Grant {
    return this.#access.grantSubmit(grantee);
  }

  /** Lets it operate the system as well: see and cancel the jobs of all, redrive, close, pause. */
  grantOperate(grantee: IGrantable): Grant {
    return this.#access.grantOperate(grantee);
  }

  /** Makes the stack's outputs that `npx sluice --stack` goes by. Once a stack, as their names are fixed. */
  addOutputs(): void {
    const outputs = {
      ApiUrl: this.apiUrl,
      ...(this.#domainTarget && { DomainTarget: this.#domainTarget }),
      QueueUrl: this.queue.main.queueUrl,
      DeadLetterQueueUrl: this.queue.deadLetters.queueUrl,
      JobsTableName: this.jobsTable.tableName,
      ApiFunctionName: this.api.functionName,
      ConsumerFunctionName: this.consumer.functionName,
      OperatorFunctionName: this.operator.functionName,
      ReconcileFunctionName: this.reconcile.functionName,
      EventSourceMappingId: this.#mapping.eventSourceMappingId,
      SubmitPolicyArn: this.#access.submitPolicy.managedPolicyArn,
      OperatePolicyArn: this.#access.operatePolicy.managedPolicyArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(Stack.of(this), name, { value });
  }

  #addConsumer(system: JobSystem, entry: string, tables: Readonly<Record<string, HandlerTable>>): JobFunction {
    const { limits, webhooks } = system.settings;
    const tableNames = Object.entries(tables).map(([logicalName, { tableName }]) => [logicalName, tableName]);
    const consumer = new JobFunction(this, 'Consumer', {
      system,
      role: 'consumer',
      entry,
      description: 'Runs the jobs that the queue delivers.',
      timeoutSeconds: limits.consumerTimeoutSeconds,
      memoryMegabytes: 1_024,
      environment: {
        ...this.#names(),
        DEAD_LETTER_QUEUE_URL: this.queue.deadLetters.queueUrl,
        JOB_TABLES: Stack.of(this).toJsonString(Object.fromEntries(tableNames)),
        WEBHOOK_SETTINGS: webhookSettings(webhooks),
      },
    });
    allowConsumer(consumer, { jobs: this.jobsTable, queue: this.queue, key: system.key });
    for (const table of Object.values(tables)) allowHandlerWrites(consumer, table, system.key);
    allowSigning(consumer, webhooks);
    return consumer;
  }

  #addMapping(limits: Limits): EventSourceMapping {
    const mapping = new EventSourceMapping(this, 'Mapping', {
      target: this.consumer,
      eventSourceArn: this.queue.main.queueArn,
      batchSize: limits.batchSize,
      maxBatchingWindow: Duration.seconds(limits.batchWindowSeconds),
      reportBatchItemFailures: true,
      // Not reserved concurrency: that throttles deliveries, which count as receives and fill the dead-letter queue.
      maxConcurrency: limits.consumerConcurrencyMax,
    });
    // Lambda checks the right to receive when the mapping is made.
    mapping.node.addDependency(this.consumer);
    return mapping;
  }

  #addApi(system: JobSystem, entry: string): JobFunction {
    const api = new JobFunction(this, 'Api', {
      system,
      role: 'api',
      entry,
      description: 'Takes jobs in and shows them to their submitters.',
      timeoutSeconds: system.settings.limits.apiTimeoutSeconds,
      memoryMegabytes: 512,
      environment: this.#names(),
    });
    allowApi(api, this.#resources(system));
    // A new job type must be known to the consumer before the API lets its jobs in.
    api.node.addDependency(this.consumer);
    return api;
  }

  #addOperator(system: JobSystem, entry: string): JobFunction {
    const operator = new JobFunction(this, 'Operator', {
      system,
      role: 'operator',
      entry,
      description: 'Status, capacity, pause and resume, dead jobs and their redrive.',
      timeoutSeconds: system.settings.limits.operatorTimeoutSeconds,
      memoryMegabytes: 512,
      environment: this.#upkeepNames(),
    });
    allowOperator(operator, this.#resources(system));
    return operator;
  }

  #addReconciler(system: JobSystem, entry: string): JobFunction {
    const { limits } = system.settings;
    const reconcile = new JobFunction(this, 'Reconcile', {
      system,
      role: 'reconcile',
      entry,
      description: 'Repairs what crashes left behind; each run is bounded, and running it by hand does no harm.',
      timeoutSeconds: limits.reconcilerTimeoutSeconds,
      memoryMegabytes: 512,
      environment: this.#upkeepNames(),
    });
    allowReconcile(reconcile, this.#resources(system));
    const period = Duration.seconds(limits.reconcilerPeriodSeconds);
    // A failed run is not repeated, neither by the rule nor by Lambda's queue of asynchronous calls: the next one is near.
    reconcile.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: period });
    new Rule(this, 'ReconcileSchedule', {
      schedule: Schedule.rate(period),
      targets: [new LambdaFunction(reconcile, { retryAttempts: 0, maxEventAge: period })],
    });
    return reconcile;
  }

  #names() {
    return { JOBS_TABLE_NAME: this.jobsTable.tableName, QUEUE_URL: this.queue.main.queueUrl };
  }

  #upkeepNames() {
    return {
      ...this.#names(),
      DEAD_LETTER_QUEUE_URL: this.queue.deadLetters.queueUrl,
      EVENT_SOURCE_MAPPING_ID: this.#mapping.eventSourceMappingId,
    };
  }

  #resources({ key }: JobSystem) {
    return { jobs: this.jobsTable, queue: this.queue, mapping: this.#mapping, key };
  }
}

const ownEntry = (name: string): string => fileURLToPath(new URL(`../functions/${name}.ts`, import.meta.url));
const ownEntries = { operator: ownEntry('operator'), reconcile: ownEntry('reconcile') };

/**
 * CloudFormation would find out in the middle of a deployment. Of stacks whose account and region are not known at synth
 * only those of one and the same are held against each other.
 */
const refuseTwin = (mine: BoundedJobQueue): void => {
  const placeOf = (one: Construct): string => {
    const stack = Stack.of(one);
    const place = `${stack.account}/${stack.region}`;
    return Token.isUnresolved(place) ? stack.node.path : place;
  };
  const isTwin = (other: IConstruct): boolean =>
    other instanceof BoundedJobQueue && other !== mine && other.name === mine.name && placeOf(other) === placeOf(mine);
  const twin = mine.node.root.node.findAll().find(isTwin);
  if (twin === undefined) return;
  throw new Error(
    `Two job systems in one place are called "${mine.name}": ${twin.node.path} and ${mine.node.path}. Functions and queues ` +
      'are named after it. Give one of them another: name.',
  );
};

/** What was given, and the defaults for the rest. A property that is there but undefined counts as left out. */
const settingsOf = (props: BoundedJobQueueProps): JobSettings => {
  const limits = assertLimits({ ...productionSettings.limits, ...given(props.limits) });
  return { ...productionSettings, ...given(props), limits };
};

const given = <T extends object>(props: T | undefined): Partial<T> =>
  Object.fromEntries(Object.entries(props ?? {}).filter(([, value]) => value !== undefined)) as Partial<T>;
