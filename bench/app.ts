import { App, CliCredentialsStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
import { localLimits } from '../functions/core/limits.ts';
import { JobSystemStack } from '../infra/job-system-stack.ts';
import { localStage, productionStage } from '../infra/stages.ts';
import { PeerStack } from './peer/peer-stack.ts';
import { peerStackName, sluiceStackName } from './stack-names.ts';

/** Sluice with its production entries, since the local stage's own do a read more per job, and the peer beside it. */
const app = new App();
const common = () => ({
  env: { account: '000000000000', region: 'us-east-1' },
  synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer,
});
// For a query of an index the emulator reads the whole table: with 100,000 records in it one call takes seconds.
const limits = { ...localLimits, sdkTimeoutSeconds: 13, sdkAttemptsMax: 2, orphanTokenSeconds: 60 };
new JobSystemStack(app, sluiceStackName, {
  ...common(),
  stackName: sluiceStackName,
  stage: { ...localStage, limits, entries: productionStage.entries },
});
new PeerStack(app, peerStackName, { ...common(), stackName: peerStackName });
