import { App, CliCredentialsStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
import { localSettings } from 'sluice/infra';
import { StockStack } from './stock-stack.ts';

/** `-c stage=local` is for an emulator; without it the settings are those of production. */
const app = new App();
const stackName = 'stock-example';

if (app.node.tryGetContext('stage') === 'local') {
  new StockStack(app, stackName, {
    settings: localSettings,
    env: { account: '000000000000', region: 'us-east-1' },
    // Needs no bootstrap stack. The cast: its declaration is looser than exactOptionalPropertyTypes allows.
    synthesizer: new CliCredentialsStackSynthesizer() as IStackSynthesizer,
  });
} else {
  new StockStack(app, stackName, {});
}
