import { App, CliCredentialsStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
import { JobSystemStack } from './job-system-stack.ts';
import { localStage, productionStage } from './stages.ts';

/**
 * The CDK app. `-c stage=local|production` picks the stage (production unless told), `-c stackName=…` another name for
 * its stack. Production is bound to no account or region, so that it can be synthesised without either.
 */
const app = new App();
const stageName: unknown = app.node.tryGetContext('stage') ?? productionStage.name;
const stackName: unknown = app.node.tryGetContext('stackName') ?? `sluice-${stageName}`;
if (typeof stackName !== 'string') throw new Error('The context value stackName must be a string.');

switch (stageName) {
  case productionStage.name:
    new JobSystemStack(app, stackName, { stackName, stage: productionStage });
    break;
  case localStage.name:
    new JobSystemStack(app, stackName, {
      stackName,
      stage: localStage,
      env: { account: '000000000000', region: 'us-east-1' },
      // Deploys with the caller's own credentials, so that no bootstrap stack and none of its roles is needed.
      // The cast: its declaration is looser about an absent qualifier than exactOptionalPropertyTypes allows.
      synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer,
    });
    break;
  default:
    throw new Error(`Unknown stage ${JSON.stringify(stageName)}: give -c stage=production or -c stage=local.`);
}
