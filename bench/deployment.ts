import { mkdirSync, rmSync } from 'node:fs';
import { deployAssembly } from '../localstack/deploy.ts';
import { type Emulator, startEmulator } from '../localstack/emulator.ts';
import { type LocalOutputs, outputsOf, readStackOutputs } from '../localstack/outputs.ts';
import { localDirectory } from '../localstack/places.ts';
import { synthesizeLocal } from '../localstack/synth.ts';
import { createAssetBucket, reachableApiUrl } from '../localstack/workarounds.ts';
import { peerStackName, sluiceStackName } from './stack-names.ts';
import { System } from './system.ts';

/** Both builds on one emulator. */
export interface Bench {
  readonly sluice: System;
  readonly peer: System;
  /** What only Sluice has. */
  readonly outputs: LocalOutputs;
  /** The cloud assembly that was deployed, bundles included. */
  readonly assembly: string;
  stop(): Promise<void>;
}

const peerOf = (file: string, endpointUrl: string): System => {
  const output = outputsOf(file, peerStackName);
  return new System({
    name: 'peer',
    endpointUrl,
    apiUrl: reachableApiUrl(endpointUrl, output('ApiUrl')),
    queueUrl: output('QueueUrl'),
    statusTable: output('StatusTableName'),
    apiFunction: output('ApiFunctionName'),
    consumerFunction: output('ConsumerFunctionName'),
    mappingId: output('EventSourceMappingId'),
  });
};

const sluiceOf = (outputs: LocalOutputs): System =>
  new System({
    name: 'sluice',
    endpointUrl: outputs.endpointUrl,
    apiUrl: outputs.apiUrl,
    queueUrl: outputs.queueUrl,
    statusTable: outputs.jobsTableName,
    apiFunction: outputs.apiFunctionName,
    consumerFunction: outputs.consumerFunctionName,
    mappingId: outputs.eventSourceMappingId,
  });

/** Starts an emulator of its own and deploys both builds to it. `stop` ends the emulator and removes what it left. */
export const startBench = async (): Promise<Bench> => {
  const name = `bench-${process.pid}`;
  mkdirSync(localDirectory, { recursive: true });
  const emulator: Emulator = await startEmulator({ name });
  const directory = `${localDirectory}/${name}`;
  const stop = async () => {
    await emulator.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const { endpointUrl } = emulator;
    const [assembly] = await Promise.all([synthesizeLocal({}, 'bench/app.ts'), createAssetBucket(endpointUrl)]);
    const file = await deployAssembly(assembly, [sluiceStackName, peerStackName], { endpointUrl, outDir: directory });
    const outputs = readStackOutputs(file, sluiceStackName, endpointUrl);
    return { sluice: sluiceOf(outputs), peer: peerOf(file, endpointUrl), outputs, assembly, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
