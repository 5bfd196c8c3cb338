import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { localStage, productionStage } from '#infra/stages.ts';
import { resourceOf, resourcesOf, templateOf } from '#test/support/infra/synthesize.ts';

const production = templateOf(productionStage);
const local = templateOf(localStage);

describe.each([
  { stage: productionStage, template: production },
  { stage: localStage, template: local },
])('resources of the $stage.name stage', ({ stage, template }) => {
  const { limits } = stage;
  const queue = resourceOf(template, 'AWS::SQS::Queue', 'QueueJobs').Properties;
  const deadLetters = resourceOf(template, 'AWS::SQS::Queue', 'QueueDeadLetters').Properties;

  it('moves a message to the dead-letter queue after its third receive', () => {
    expect(queue.RedrivePolicy).toEqual({
      deadLetterTargetArn: { 'Fn::GetAtt': [expect.stringMatching(/^QueueDeadLetters/), 'Arn'] },
      maxReceiveCount: 3,
    });
    expect(limits.attemptsMax).toBe(3);
  });

  it('lets only its own queue move messages there', () => {
    const { redrivePermission, sourceQueueArns } = deadLetters.RedriveAllowPolicy;
    expect(redrivePermission).toBe('byQueue');
    expect(JSON.stringify(sourceQueueArns)).toMatch(/:sluice-under-test-jobs"/);
    expect(sourceQueueArns).toHaveLength(1);
    expect(queue.QueueName).toBe('sluice-under-test-jobs');
  });

  it('hides a message for six times the function’s timeout at least', () => {
    const consumer = resourceOf(template, 'AWS::Lambda::Function', 'Consumer').Properties;
    expect(queue.VisibilityTimeout).toBe(limits.visibilitySeconds);
    expect(queue.VisibilityTimeout).toBeGreaterThanOrEqual(6 * consumer.Timeout);
  });

  it('keeps dead letters longer than messages', () => {
    expect(queue.MessageRetentionPeriod).toBe(limits.queueRetentionSeconds);
    expect(deadLetters.MessageRetentionPeriod).toBe(limits.deadLetterRetentionSeconds);
    expect(deadLetters.MessageRetentionPeriod).toBeGreaterThan(queue.MessageRetentionPeriod);
  });

  it('encrypts queues and tables', () => {
    expect([queue.SqsManagedSseEnabled, deadLetters.SqsManagedSseEnabled]).toEqual([true, true]);
    const tables = Object.values(resourcesOf(template, 'AWS::DynamoDB::Table'));
    expect(tables.map((table) => table.Properties.SSESpecification)).toEqual(tables.map(() => ({ SSEEnabled: true })));
  });

  it('feeds the consumer in batches that may fail in part, and bounds its concurrency at the mapping', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: limits.batchSize,
      MaximumBatchingWindowInSeconds: limits.batchWindowSeconds,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ScalingConfig: { MaximumConcurrency: limits.consumerConcurrencyMax },
      EventSourceArn: { 'Fn::GetAtt': [Match.stringLikeRegexp('^QueueJobs'), 'Arn'] },
    });
    for (const { Properties: lambda } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
      expect(lambda.ReservedConcurrentExecutions).toBeUndefined();
    }
  });

  it('keeps jobs in an on-demand table with expiry and two indexes', () => {
    const jobs = resourceOf(template, 'AWS::DynamoDB::Table', 'TablesJobs').Properties;
    expect(jobs.BillingMode).toBe('PAY_PER_REQUEST');
    expect(jobs.KeySchema).toEqual([{ AttributeName: 'id', KeyType: 'HASH' }]);
    expect(jobs.TimeToLiveSpecification).toEqual({ AttributeName: 'expiresAt', Enabled: true });
    expect(jobs.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'dead',
        KeySchema: [
          { AttributeName: 'deadBucket', KeyType: 'HASH' },
          { AttributeName: 'diedAt', KeyType: 'RANGE' },
        ],
        Projection: {
          ProjectionType: 'INCLUDE',
          NonKeyAttributes: ['type', 'scope', 'reasonCode', 'stray', 'tenure', 'redrives', 'state'],
        },
      },
      {
        IndexName: 'tenant',
        KeySchema: [
          { AttributeName: 'tenantBucket', KeyType: 'HASH' },
          { AttributeName: 'submittedAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
      {
        IndexName: 'recent',
        KeySchema: [
          { AttributeName: 'recentBucket', KeyType: 'HASH' },
          { AttributeName: 'submittedAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      },
    ]);
  });

  it('keeps the sample job’s ledger in a table of its own', () => {
    const ledger = resourceOf(template, 'AWS::DynamoDB::Table', 'TablesLedger').Properties;
    expect(ledger.BillingMode).toBe('PAY_PER_REQUEST');
    expect(ledger.KeySchema).toEqual([{ AttributeName: 'account', KeyType: 'HASH' }]);
  });

  it.each([
    ['Api', 'api', 'apiTimeoutSeconds', []],
    ['Consumer', 'consumer', 'consumerTimeoutSeconds', ['DEAD_LETTER_QUEUE_URL', 'JOB_TABLES', 'WEBHOOK_SETTINGS']],
    ['Operator', 'operator', 'operatorTimeoutSeconds', ['DEAD_LETTER_QUEUE_URL', 'EVENT_SOURCE_MAPPING_ID']],
    ['Reconcile', 'reconcile', 'reconcilerTimeoutSeconds', ['DEAD_LETTER_QUEUE_URL', 'EVENT_SOURCE_MAPPING_ID']],
  ] as const)('gives %s its runtime, time, logs and environment', (id, name, timeout, ownVariables) => {
    const lambda = resourceOf(template, 'AWS::Lambda::Function', id).Properties;
    expect(lambda).toMatchObject({
      FunctionName: `sluice-under-test-${name}`,
      Runtime: 'nodejs24.x',
      Timeout: limits[timeout],
      LoggingConfig: { LogGroup: { Ref: expect.stringMatching(new RegExp(`^${id}Logs`)) } },
    });
    expect(lambda.TracingConfig?.Mode === 'Active').toBe(stage.tracing);
    const { Variables: variables } = lambda.Environment;
    expect(variables).toMatchObject({
      POWERTOOLS_SERVICE_NAME: 'sluice-under-test',
      POWERTOOLS_METRICS_NAMESPACE: 'Sluice',
      POWERTOOLS_LOG_LEVEL: 'INFO',
    });
    expect(JSON.parse(variables.SLUICE_LIMITS)).toEqual(limits);
    const common = ['FAIR_QUEUES', 'JOBS_TABLE_NAME', 'QUEUE_URL', 'SLUICE_LIMITS'];
    const powertools = ['POWERTOOLS_LOG_LEVEL', 'POWERTOOLS_METRICS_NAMESPACE', 'POWERTOOLS_SERVICE_NAME'];
    expect(Object.keys(variables).sort()).toEqual([...common, ...powertools, ...ownVariables].sort());
  });

  it('keeps every log group for a bounded time', () => {
    const groups = Object.values(resourcesOf(template, 'AWS::Logs::LogGroup'));
    expect(groups.map((group) => group.Properties.RetentionInDays)).toEqual(groups.map(() => stage.logRetention));
  });

  it('runs the reconciler each minute and repeats no failed run', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      State: 'ENABLED',
      Targets: [Match.objectLike({ RetryPolicy: Match.objectLike({ MaximumRetryAttempts: 0 }) })],
    });
    template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 0 });
  });
});

describe('what only production has', () => {
  it('recovers tables to a point in time, and keeps them from deletion', () => {
    for (const table of Object.values(resourcesOf(production, 'AWS::DynamoDB::Table'))) {
      expect(table.Properties.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
      expect(table.Properties.DeletionProtectionEnabled).toBe(true);
      expect(table.DeletionPolicy).toBe('Retain');
    }
  });

  it('refuses calls to both queues without TLS', () => {
    const policies = Object.values(resourcesOf(production, 'AWS::SQS::QueuePolicy'));
    expect(policies).toHaveLength(2);
    for (const { Properties: policy } of policies) {
      expect(policy.PolicyDocument.Statement).toEqual([
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      ]);
    }
    expect(resourcesOf(local, 'AWS::SQS::QueuePolicy')).toEqual({});
  });

  it('is bound to no account and no region', () => {
    expect(JSON.stringify(production.toJSON())).not.toMatch(/:\d{12}:|us-east-1/);
  });
});
