import { fileURLToPath } from 'node:url';
import { CfnOutput, Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AuthorizationType, EndpointType, LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway';
import { AttributeType, BillingMode, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Architecture, EventSourceMapping, Runtime } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { localLimits } from '../../functions/core/limits.ts';
import { bundling } from '../../infra/job-function.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));

/** The peer with the sizes of Sluice's local stage: memory, timeouts, batch size, concurrency, visibility, receives. */
export class PeerStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps) {
    super(scope, id, props);
    const table = (name: string, key: string) =>
      new Table(this, name, {
        partitionKey: { name: key, type: AttributeType.STRING },
        billingMode: BillingMode.PAY_PER_REQUEST,
        removalPolicy: RemovalPolicy.DESTROY,
      });
    const idempotency = table('Idempotency', 'id');
    const status = table('Status', 'id');
    const ledger = table('Ledger', 'account');
    const deadLetters = new Queue(this, 'DeadLetters');
    const queue = new Queue(this, 'Jobs', {
      visibilityTimeout: Duration.seconds(localLimits.visibilitySeconds),
      deadLetterQueue: { queue: deadLetters, maxReceiveCount: localLimits.attemptsMax },
    });

    const fn = (name: string, entry: string, seconds: number, memorySize: number) => {
      const made = new NodejsFunction(this, name, {
        functionName: `${this.stackName}-${entry}`,
        entry: `${projectRoot}bench/peer/${entry}.ts`,
        projectRoot,
        depsLockFilePath: `${projectRoot}package-lock.json`,
        runtime: Runtime.NODEJS_24_X,
        architecture: Architecture.ARM_64,
        memorySize,
        timeout: Duration.seconds(seconds),
        awsSdkConnectionReuse: false,
        bundling,
        environment: {
          POWERTOOLS_SERVICE_NAME: this.stackName,
          POWERTOOLS_METRICS_NAMESPACE: 'Peer',
          POWERTOOLS_LOG_LEVEL: 'INFO',
          IDEMPOTENCY_TABLE: idempotency.tableName,
          STATUS_TABLE: status.tableName,
          LEDGER_TABLE: ledger.tableName,
          QUEUE_URL: queue.queueUrl,
        },
      });
      for (const used of [idempotency, status, ledger]) used.grantReadWriteData(made);
      return made;
    };
    const api = fn('Api', 'api', localLimits.apiTimeoutSeconds, 512);
    const consumer = fn('Consumer', 'consumer', localLimits.consumerTimeoutSeconds, 1_024);
    queue.grantSendMessages(api);
    queue.grantConsumeMessages(consumer);
    const mapping = new EventSourceMapping(this, 'Mapping', {
      target: consumer,
      eventSourceArn: queue.queueArn,
      batchSize: localLimits.batchSize,
      maxBatchingWindow: Duration.seconds(localLimits.batchWindowSeconds),
      reportBatchItemFailures: true,
      maxConcurrency: localLimits.consumerConcurrencyMax,
    });
    mapping.node.addDependency(consumer);
    const rest = new RestApi(this, 'Rest', {
      endpointTypes: [EndpointType.REGIONAL],
      defaultMethodOptions: { authorizationType: AuthorizationType.IAM },
      deployOptions: { stageName: 'v1', throttlingRateLimit: 10_000, throttlingBurstLimit: 5_000 },
    });
    rest.root.addResource('jobs').addMethod('POST', new LambdaIntegration(api, { allowTestInvoke: false }));

    const outputs = {
      ApiUrl: rest.url,
      QueueUrl: queue.queueUrl,
      StatusTableName: status.tableName,
      LedgerTableName: ledger.tableName,
      ApiFunctionName: api.functionName,
      ConsumerFunctionName: consumer.functionName,
      EventSourceMappingId: mapping.eventSourceMappingId,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
