import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Duration } from 'aws-cdk-lib';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { type BundlingOptions, LogLevel, NodejsFunction, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { JobSystem } from './job-system.ts';
import { addLogGroup } from './log-group.ts';
import { allowAttaching } from './network.ts';

/** The files that the four Lambdas are built from, by their absolute paths. Each exports `handler`. */
export interface JobEntries {
  readonly api: string;
  readonly consumer: string;
  readonly operator: string;
  readonly reconcile: string;
}

/** What one of the four Lambdas needs beyond what they share. */
export interface JobFunctionProps {
  readonly system: JobSystem;
  readonly role: keyof JobEntries;
  readonly entry: string;
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
    '--alias:@aws-sdk/credential-provider-node': fileURLToPath(
      new URL('bundled/lambda-credentials.ts', import.meta.url),
    ),
  },
};

const lockFiles = ['package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];

/** The lock file of the project that a file belongs to: what the bundler calls the project's root is where that lies. */
const lockFileOf = (entry: string): string => {
  for (let directory = dirname(entry); ; directory = dirname(directory)) {
    const found = lockFiles.map((name) => `${directory}/${name}`).find((path) => existsSync(path));
    if (found !== undefined) return found;
    if (directory === dirname(directory)) {
      throw new Error(
        `No lock file (${lockFiles.join(', ')}) lies above the entry ${entry}. Install its packages first.`,
      );
    }
  }
};

/**
 * One Lambda: Node 24, a single minified ES module with its own copy of the SDK (the runtime's copy changes under us),
 * a log group with a retention, and a role that starts with the right to write its own logs and traces only.
 */
export class JobFunction extends NodejsFunction {
  constructor(scope: Construct, id: string, props: JobFunctionProps) {
    const { system, entry } = props;
    const { settings, network } = system;
    const functionName = `${system.name}-${props.role}`;
    const logGroup = addLogGroup(scope, `${id}Logs`, system);
    // A role of our own: the one that CDK makes may write to every log group of the account.
    const role = new Role(scope, `${id}Role`, { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    logGroup.grantWrite(role);
    if (network) allowAttaching(role, functionName);
    if (settings.tracing || network) {
      const reason =
        'X-Ray knows no resources, nor does EC2 for the network interfaces that attach a function to a VPC, which its ' +
        'code is denied. test/infra/rights.test.ts has all rights.';
      acknowledge(role, 'IAM5[Resource::*]', reason);
    }
    const depsLockFilePath = lockFileOf(entry);
    super(scope, id, {
      functionName,
      description: props.description,
      entry,
      projectRoot: dirname(depsLockFilePath),
      depsLockFilePath,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMegabytes,
      timeout: Duration.seconds(props.timeoutSeconds),
      tracing: settings.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      logGroup,
      role,
      ...(network && { ...network, securityGroups: [...network.securityGroups] }),
      awsSdkConnectionReuse: false,
      bundling: { ...bundling, ...leftOut },
      environment: {
        // One name for all four: it is the dimension of every metric, so that a job that died in the reconciler and one
        // that died in the consumer count together. The log line still says which function wrote it.
        POWERTOOLS_SERVICE_NAME: system.name,
        POWERTOOLS_METRICS_NAMESPACE: 'Sluice',
        POWERTOOLS_LOG_LEVEL: 'INFO',
        SLUICE_LIMITS: JSON.stringify(settings.limits),
        FAIR_QUEUES: String(settings.fairQueues),
        ...(settings.tenantClaim && { TENANT_CLAIM: settings.tenantClaim }),
        ...props.environment,
      },
    });
  }
}
