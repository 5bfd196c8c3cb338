import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { assertLimits } from '../functions/core/limits.ts';
import { JobAccess } from './access.ts';
import { JobAlarms } from './alarms.ts';
import { JobApi } from './api.ts';
import { addDashboard } from './dashboard.ts';
import { JobFunction } from './job-function.ts';
import { JobQueue } from './job-queue.ts';
import { JobTables } from './job-table.ts';
import { allowApi, allowConsumer, allowOperator, allowReconcile } from './rights.ts';
import type { StageProps } from './stages.ts';
import { allowSigning, webhookSettings } from './webhooks.ts';

/** The stack's own props beside CDK's. */
export interface JobSystemStackProps extends StackProps {
  readonly stage: StageProps;
}

/**
 * The whole system: two tables, a queue with its dead-letter queue, four Lambdas, the API before two of them, the
 * mapping that feeds the consumer, the schedule that runs the reconciler, and the alarms and the dashboard over it all.
 * Throws `LimitsError` when the stage's numbers contradict one another, so that no such stack is ever deployed.
 */
export class JobSystemStack extends Stack {
  readonly #access: JobAccess;

  constructor(scope: Construct, id: string, { stage, ...stackProps }: JobSystemStackProps) {
    super(scope, id, { description: 'Bounded, idempotent background jobs.', ...stackProps });
    const limits = assertLimits(stage.limits);
    const tables = new JobTables(this, 'Tables', stage);
    const queue = new JobQueue(this, 'Queue', stage);

    const names = { JOBS_TABLE_NAME: tables.jobs.tableName, QUEUE_URL: queue.main.queueUrl };
    const deadLetterNames = { ...names, DEAD_LETTER_QUEUE_URL: queue.deadLetters.queueUrl };

    const consumer = new JobFunction(this, 'Consumer', {
      stage,
      entry: 'consumer',
      description: 'Runs the jobs that the queue delivers.',
      timeoutSeconds: limits.consumerTimeoutSeconds,
      memoryMegabytes: 1_024,
      environment: {
        ...deadLetterNames,
        JOB_TABLES: this.toJsonString({ ledger: tables.ledger.tableName }),
        WEBHOOK_SETTINGS: webhookSettings(stage.webhooks),
      },
    });
    allowConsumer(consumer, { tables, queue });
    allowSigning(consumer, stage.webhooks);
    const mapping = new EventSourceMapping(this, 'Mapping', {
      target: consumer,
      eventSourceArn: queue.main.queueArn,
      batchSize: limits.batchSize,
      maxBatchingWindow: Duration.seconds(limits.batchWindowSeconds),
      reportBatchItemFailures: true,
      // Not reserved concurrency: that throttles deliveries, which count as receives and fill the dead-letter queue.
      maxConcurrency: limits.consumerConcurrencyMax,
    });
    // Lambda checks the right to receive when the mapping is made.
    mapping.node.addDependency(consumer);

    const upkeepNames = { ...deadLetterNames, EVENT_SOURCE_MAPPING_ID: mapping.eventSourceMappingId };
    const resources = { tables, queue, mapping };

    const api = new JobFunction(this, 'Api', {
      stage,
      entry: 'api',
      description: 'Takes jobs in and shows them to their submitters.',
      timeoutSeconds: limits.apiTimeoutSeconds,
      memoryMegabytes: 512,
      environment: names,
    });
    allowApi(api, resources);
    // A new job type must be known to the consumer before the API lets its jobs in.
    api.node.addDependency(consumer);

    const operator = new JobFunction(this, 'Operator', {
      stage,
      entry: 'operator',
      description: 'Status, capacity, pause and resume, dead jobs and their redrive.',
      timeoutSeconds: limits.operatorTimeoutSeconds,
      memoryMegabytes: 512,
      environment: upkeepNames,
    });
    allowOperator(operator, resources);

    const reconcile = new JobFunction(this, 'Reconcile', {
      stage,
      entry: 'reconcile',
      description: 'Repairs what crashes left behind; each run is bounded, and running it by hand does no harm.',
      timeoutSeconds: limits.reconcilerTimeoutSeconds,
      memoryMegabytes: 512,
      environment: upkeepNames,
    });
    allowReconcile(reconcile, resources);
    const period = Duration.seconds(limits.reconcilerPeriodSeconds);
    // A failed run is not repeated, neither by the rule nor by Lambda's queue of asynchronous calls: the next one is near.
    reconcile.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: period });
    new Rule(this, 'ReconcileSchedule', {
      schedule: Schedule.rate(period),
      targets: [new LambdaFunction(reconcile, { retryAttempts: 0, maxEventAge: period })],
    });

    const { rest } = new JobApi(this, 'Http', { stage, api, operator });

    this.#access = new JobAccess(this, 'Access', rest);

    const watched = { queue, rest, functions: { api, consumer, operator, reconcile } };
    const alarms = new JobAlarms(this, 'Alarms', stage, watched);
    addDashboard(this, 'Dashboard', watched, alarms.all);

    const outputs = {
      ApiUrl: rest.url,
      QueueUrl: queue.main.queueUrl,
      DeadLetterQueueUrl: queue.deadLetters.queueUrl,
      JobsTableName: tables.jobs.tableName,
      LedgerTableName: tables.ledger.tableName,
      ApiFunctionName: api.functionName,
      ConsumerFunctionName: consumer.functionName,
      OperatorFunctionName: operator.functionName,
      ReconcileFunctionName: reconcile.functionName,
      EventSourceMappingId: mapping.eventSourceMappingId,
      SubmitPolicyArn: this.#access.submitPolicy.managedPolicyArn,
      OperatePolicyArn: this.#access.operatePolicy.managedPolicyArn,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }

  /** Lets it submit, see, list and cancel jobs of its own. */
  grantSubmit(grantee: IGrantable): Grant {
    return this.#access.grantSubmit(grantee);
  }

  /** Lets it operate the system as well: see and cancel the jobs of all, redrive, close, pause. */
  grantOperate(grantee: IGrantable): Grant {
    return this.#access.grantOperate(grantee);
  }
}
