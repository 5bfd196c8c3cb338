import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { deployLocal } from '../../localstack/deploy.ts';
import { type Emulator, startEmulator } from '../../localstack/emulator.ts';
import type { LocalOutputs } from '../../localstack/outputs.ts';
import { localDirectory } from '../../localstack/places.ts';
import { startOf, stopGroup } from '../../localstack/processes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the stack of this test run can be reached: `inject('localOutputs')`. */
    localOutputs: LocalOutputs;
    /** The functions run in children of this process. */
    emulatorPid: number;
  }
}

interface SharedStack {
  readonly started: Promise<{ emulator: Emulator; outputs: LocalOutputs }>;
  users: number;
}

// Each project runs this file in a module of its own, all in one process: what they share must be found from there.
const shared: { sluiceTestStack?: SharedStack } = globalThis as never;
const name = `test-${process.pid}`;
const ownerFile = 'emulator.json';

/** Removes what test runs left behind that were ended by force: their emulators and their directories. */
const sweepAbandoned = async (): Promise<void> => {
  for (const entry of readdirSync(localDirectory, { withFileTypes: true })) {
    const runner = Number(/^test-(\d+)$/.exec(entry.name)?.[1]);
    if (!runner || startOf(runner) !== undefined) continue;
    const directory = `${localDirectory}/${entry.name}`;
    try {
      const { pid, startedAt } = JSON.parse(readFileSync(`${directory}/${ownerFile}`, 'utf8'));
      if (startOf(pid) === startedAt) await stopGroup(pid, 1);
    } catch {
      // It came to no emulator; the directory is all there is to remove.
    }
    rmSync(directory, { recursive: true, force: true });
  }
};

const start = async (): Promise<{ emulator: Emulator; outputs: LocalOutputs }> => {
  const emulator = await startEmulator({ name });
  const directory = `${localDirectory}/${name}`;
  writeFileSync(`${directory}/${ownerFile}`, JSON.stringify({ pid: emulator.pid, startedAt: startOf(emulator.pid) }));
  await sweepAbandoned();
  try {
    return { emulator, outputs: await deployLocal({ endpointUrl: emulator.endpointUrl, outDir: directory }) };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
};

/** Gives the projects that need it one emulator of their own with the local stage deployed, on a free port. */
export const setup = async (project: TestProject): Promise<void> => {
  shared.sluiceTestStack ??= { started: start(), users: 0 };
  shared.sluiceTestStack.users++;
  const { outputs, emulator } = await shared.sluiceTestStack.started;
  project.provide('localOutputs', outputs);
  project.provide('emulatorPid', emulator.pid);
};

/** Stops it when its last project is done. `SLUICE_KEEP_LOGS=1` leaves the emulator's log under `.local/`. */
export const teardown = async (): Promise<void> => {
  const stack = shared.sluiceTestStack;
  if (stack === undefined || --stack.users > 0) return;
  delete shared.sluiceTestStack;
  const { emulator } = await stack.started;
  await emulator.stop();
  if (process.env['SLUICE_KEEP_LOGS'] !== '1') {
    rmSync(`${localDirectory}/${name}`, { recursive: true, force: true });
  }
};
