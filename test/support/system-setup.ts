import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import { deployLocal } from '../../localstack/deploy.ts';
import { chooseEngine } from '../../localstack/engines/choice.ts';
import { type RunningEngine, startEngine } from '../../localstack/engines/engine.ts';
import type { LocalOutputs } from '../../localstack/outputs.ts';
import { localDirectory } from '../../localstack/places.ts';
import { startOf, stopGroup } from '../../localstack/processes.ts';
import type { Lacking } from './engines/capabilities.ts';
import { probeEngine } from './engines/probe.ts';
import { type Callers, makeCallers } from './system/callers.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Given by vitest.config.ts: whether the emulator checks signatures and policies. */
    authChecked: boolean;
    /** Where the stack of this test run can be reached: `inject('localOutputs')`. */
    localOutputs: LocalOutputs;
    /** The functions run in children of this process; 0 where the engine runs elsewhere. */
    emulatorPid: number;
    /** Who may call it. */
    callers: Callers;
    /** What the engine of this run has not, for `needs`. */
    lacking: Lacking;
  }
}

interface Started {
  readonly engine: RunningEngine;
  readonly outputs: LocalOutputs;
  readonly callers: Callers;
  readonly lacking: Lacking;
}

interface SharedStack {
  readonly started: Promise<Started>;
  users: number;
}

// Each project runs this file in a module of its own, all in one process: what they share must be found from there.
const shared: { sluiceTestStacks?: Map<string, SharedStack> } = globalThis as never;
shared.sluiceTestStacks ??= new Map();
const stacks = shared.sluiceTestStacks;
const ownerFile = 'emulator.json';

/** Removes what test runs left behind that were ended by force: their emulators and their directories. */
const sweepAbandoned = async (): Promise<void> => {
  for (const entry of readdirSync(localDirectory, { withFileTypes: true })) {
    const runner = Number(/^test-(\d+)(-auth)?$/.exec(entry.name)?.[1]);
    if (!runner || startOf(runner) !== undefined) continue;
    const directory = `${localDirectory}/${entry.name}`;
    try {
      const leaders: { pid: number; startedAt: string }[] = JSON.parse(
        readFileSync(`${directory}/${ownerFile}`, 'utf8'),
      );
      for (const { pid, startedAt } of leaders) if (startOf(pid) === startedAt) await stopGroup(pid, 1);
    } catch {
      // It came to no emulator; the directory is all there is to remove.
    }
    rmSync(directory, { recursive: true, force: true });
  }
};

/** The embedded emulator is what the tests are written for: nothing may be skipped there, so it is not asked. */
const findLacking = async (outputs: LocalOutputs): Promise<Lacking> => {
  if (outputs.emulator === 'ministack') return {};
  const lacking = await probeEngine(outputs);
  for (const capability of Object.keys(lacking)) console.log(`Not on this engine: ${capability}`);
  return lacking;
};

const start = async (name: string, auth: boolean): Promise<Started> => {
  const engine = await startEngine(chooseEngine(undefined, process.env), { name, auth });
  const directory = `${localDirectory}/${name}`;
  mkdirSync(directory, { recursive: true });
  const leaders = engine.leaders.map((pid) => ({ pid, startedAt: startOf(pid) }));
  writeFileSync(`${directory}/${ownerFile}`, JSON.stringify(leaders));
  await sweepAbandoned();
  try {
    const outputs = await deployLocal({ endpointUrl: engine.endpointUrl, outDir: directory });
    const callers = await makeCallers(outputs, `${directory}/credentials`);
    return { engine, outputs, callers, lacking: await findLacking(outputs) };
  } catch (error) {
    await engine.stop();
    throw error;
  }
};

/**
 * Gives the projects that need it a deployed local stage on an emulator of this run, on a free port: one that checks
 * signatures and policies to those that ask for it, another to the rest. `SLUICE_ENGINE` and `AWS_ENDPOINT_URL` name
 * another engine than the embedded one. What it returns stops the emulator when its last
 * project is done. `SLUICE_KEEP_LOGS=1` leaves the emulator's log under `.local/`.
 */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const { authChecked } = project.getProvidedContext();
  const name = `test-${process.pid}${authChecked ? '-auth' : ''}`;
  const stack = stacks.get(name) ?? { started: start(name, authChecked), users: 0 };
  stacks.set(name, stack);
  stack.users++;
  const { engine, outputs, callers, lacking } = await stack.started;
  project.provide('localOutputs', outputs);
  project.provide('callers', callers);
  project.provide('lacking', lacking);
  project.provide('emulatorPid', engine.leaders[0] ?? 0);
  return async () => {
    if (--stack.users > 0) return;
    stacks.delete(name);
    await engine.stop();
    if (process.env['SLUICE_KEEP_LOGS'] !== '1') {
      rmSync(`${localDirectory}/${name}`, { recursive: true, force: true });
    }
  };
};
