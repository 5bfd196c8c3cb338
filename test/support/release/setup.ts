import { rmSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { cdkEnvironment } from '../../../localstack/deploy.ts';
import { type Emulator, startEmulator } from '../../../localstack/emulator.ts';
import { localDirectory } from '../../../localstack/places.ts';
import { runNode } from '../../../localstack/run.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** An emulator whose region us-east-1 is bootstrapped for the CDK, with no stack of ours: `inject('releaseEndpoint')`. */
    releaseEndpoint: string;
  }
}

const name = `release-${process.pid}`;
let emulator: Emulator | undefined;

/** Starts an emulator and bootstraps it with the command that `npm run deploy` names where that is missing. */
export const setup = async (project: TestProject): Promise<void> => {
  emulator = await startEmulator({ name });
  const { endpointUrl } = emulator;
  try {
    const args = ['node_modules/aws-cdk/bin/cdk', 'bootstrap', 'aws://000000000000/us-east-1', '--no-notices'];
    await runNode(args, cdkEnvironment(endpointUrl));
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide('releaseEndpoint', endpointUrl);
};

export const teardown = async (): Promise<void> => {
  await emulator?.stop();
  rmSync(`${localDirectory}/${name}`, { recursive: true, force: true });
};
