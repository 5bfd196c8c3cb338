import { mkdirSync } from 'node:fs';
import { kindOf } from './engines/kind.ts';
import { type LocalOutputs, readStackOutputs } from './outputs.ts';
import { emulatorCredentials, emulatorRegion, localDirectory } from './places.ts';
import { runNode } from './run.ts';
import { synthesizeLocal } from './synth.ts';
import { allowMisnamedActions, createAssetBucket, enableTimeToLive } from './workarounds.ts';

/** Where to deploy to, and where the CDK may leave its files. */
export interface LocalDeployment {
  readonly endpointUrl: string;
  readonly outDir: string;
  /** CDK context beside the stage: `stackName`, say. */
  readonly context?: Readonly<Record<string, string>>;
}

/** The CDK command with nothing of the developer's own AWS settings, and nothing that calls out to the network. */
export const cdkEnvironment = (endpointUrl: string): Record<string, string> => ({
  AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: '',
  AWS_PROFILE: '',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
  AWS_REGION: emulatorRegion,
  AWS_DEFAULT_REGION: emulatorRegion,
  AWS_ENDPOINT_URL: endpointUrl,
  AWS_ENDPOINT_URL_S3: endpointUrl,
  AWS_EC2_METADATA_DISABLED: 'true',
  CDK_DISABLE_CLI_TELEMETRY: 'true',
  CDK_DISABLE_VERSION_CHECK: '1',
  CDK_HOME: `${localDirectory}/cdk-home`,
  NO_PROXY: '127.0.0.1,localhost',
});

/** Deploys stacks of an assembly and leaves their outputs in a file, which it returns the name of. */
export const deployAssembly = async (
  assembly: string,
  stackNames: readonly string[],
  { endpointUrl, outDir }: Pick<LocalDeployment, 'endpointUrl' | 'outDir'>,
): Promise<string> => {
  mkdirSync(outDir, { recursive: true });
  const outputsFile = `${outDir}/stack-outputs.json`;
  await runNode(
    [
      'node_modules/aws-cdk/bin/cdk',
      'deploy',
      ...stackNames,
      ...['--app', assembly],
      ...['--method', 'direct'],
      ...['--require-approval', 'never'],
      ...['--progress', 'events'],
      ...['--outputs-file', outputsFile],
      '--no-notices',
    ],
    cdkEnvironment(endpointUrl),
  );
  return outputsFile;
};

/** Deploys the local stage to a running emulator, or brings what is deployed there up to date. */
export const deployLocal = async ({ endpointUrl, outDir, context = {} }: LocalDeployment): Promise<LocalOutputs> => {
  const stackName = context['stackName'] ?? 'sluice-local';
  const [assembly, kind] = await Promise.all([
    synthesizeLocal(context),
    kindOf(endpointUrl),
    createAssetBucket(endpointUrl),
  ]);
  const outputsFile = await deployAssembly(assembly, [stackName], { endpointUrl, outDir });
  const outputs = readStackOutputs(outputsFile, stackName, endpointUrl, kind);
  if (kind === 'ministack') {
    await enableTimeToLive(endpointUrl, outputs.jobsTableName);
    await allowMisnamedActions(outputs);
  }
  return outputs;
};
