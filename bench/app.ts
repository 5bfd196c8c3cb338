import { App, CliCredentialsStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
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
new JobSystemStack(app, sluiceStackName, {
  ...common(),
  stackName: sluiceStackName,
  stage: { ...localStage, entries: productionStage.entries },
});
new PeerStack(app, peerStackName, { ...common(), stackName: peerStackName });
