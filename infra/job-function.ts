import { fileURLToPath } from 'node:url';
import { Duration, Stack } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { StageEntries, StageProps } from './stages.ts';

const projectRoot = fileURLToPath(new URL('..', import.meta.url));

/** What one of the four Lambdas needs beyond what they share. */
export interface JobFunctionProps {
  readonly stage: StageProps;
  readonly entry: keyof StageEntries;
  readonly description: string;
  readonly timeoutSeconds: number;
  readonly memoryMegabytes: number;
  /** Names of tables and queues; what is the same for all four is added here. */
  readonly environment: Readonly<Record<string, string>>;
}

/** How every Lambda is bundled. `bench/peer` is built with the same settings, so that sizes can be compared. */
export const bundling: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  logLevel: LogLevel.WARNING,
  minify: true,
  // Error classes and handlers keep their names in logs and stack traces, for a few kilobytes.
  keepNames: true,
  mainFields: ['module', 'main'],
  bundleAwsSDK: true,
  // Some CommonJS packages inside the bundle call `require`, which an ES module does not have.
  banner: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
};

/** What a Lambda of ours never runs, and would be more than a third of its bundle. */
const leftOut: BundlingOptions = {
  // Only the signing of webhooks needs it: loaded at the first signature, from the copy that the runtime brings.
  externalModules: ['@aws-sdk/client-ssm'],
  esbuildArgs: {
    // The SDK's search for credentials in files, processes, single sign-on and instance metadata. Lambda has one way.
    '--alias:@aws-sdk/credential-provider-node': `${projectRoot}infra/bundled/lambda-credentials.ts`,
  },
};

/**
 * One Lambda: Node 24, a single minified ES module with its own copy of the SDK (the runtime's copy changes under us),
 * a log group with a retention, and a role that starts with the right to write its own logs and traces only.
 */
export class JobFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: JobFunctionProps) {
    const { stage, entry } = props;
    const logGroup = new LogGroup(scope, `${id}Logs`, {
      retention: stage.logRetention,
      removalPolicy: stage.removalPolicy,
    });
    // A role of our own: the one that CDK makes may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    if (stage.tracing) {
      const reason =
        'X-Ray knows no resources: the two actions that write traces. test/infra/rights.test.ts has all rights.';
      acknowledge(role, 'IAM5[Resource::*]', reason);
    }
    super(scope, id, {
      functionName: `${Stack.of(scope).stackName}-${entry}`,
      description: props.description,
      entry: `${projectRoot}${stage.entries[entry]}`,
      projectRoot,
      depsLockFilePath: `${projectRoot}package-lock.json`,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMegabytes,
      timeout: Duration.seconds(props.timeoutSeconds),
      tracing: stage.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
      awsSdkConnectionReuse: false,
      bundling: { ...bundling, ...leftOut },
      environment: {
        // One name for all four: it is the dimension of every metric, so that a job that died in the reconciler and one
        // that died in the consumer count together. The log line still says which function wrote it.
        POWERTOOLS_SERVICE_NAME: Stack.of(scope).stackName,
        POWERTOOLS_METRICS_NAMESPACE: 'Sluice',
        POWERTOOLS_LOG_LEVEL: 'INFO',
        SLUICE_STAGE: stage.name,
        SLUICE_LIMITS: JSON.stringify(stage.limits),
        FAIR_QUEUES: String(stage.fairQueues),
        ...(stage.tenantClaim && { TENANT_CLAIM: stage.tenantClaim }),
        ...props.environment,
      },
    });
  }
}
