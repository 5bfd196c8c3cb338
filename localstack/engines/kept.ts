import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { localDirectory } from '../places.ts';
import { startOf, stopGroup } from '../processes.ts';
import type { EngineChoice } from './choice.ts';
import { type EngineOptions, startEngine } from './engine.ts';
import { stopLocalstackDocker } from './localstack-docker.ts';

const stateFile = `${localDirectory}/engine.json`;

/** What is written down about the engine that was left running. `startedAt` proves that a process is still it. */
export interface KeptEngine {
  readonly engine: EngineChoice['name'];
  readonly endpointUrl: string;
  readonly processes: readonly { readonly pid: number; readonly startedAt: string }[];
}

const read = (): KeptEngine | undefined =>
  existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, 'utf8')) : undefined;

/** Any answer will do. */
const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );

/** What was left running, unless it has gone meanwhile, or one of its processes has. */
export const readKept = async (): Promise<KeptEngine | undefined> => {
  const kept = read();
  if (kept === undefined) return undefined;
  const isUp =
    kept.processes.length === 0
      ? await answers(kept.endpointUrl)
      : kept.processes.every(({ pid, startedAt }) => startOf(pid) === startedAt);
  return isUp ? kept : undefined;
};

/** Starts an engine that goes on after this process, and writes down what there is to stop. */
export const keepEngine = async (choice: EngineChoice, options: EngineOptions): Promise<KeptEngine> => {
  const { endpointUrl, leaders } = await startEngine(choice, { ...options, detached: true });
  const processes = leaders.map((pid) => ({ pid, startedAt: startOf(pid) ?? '' }));
  const kept = { engine: choice.name, endpointUrl, processes };
  mkdirSync(localDirectory, { recursive: true });
  writeFileSync(stateFile, `${JSON.stringify(kept, null, 2)}\n`);
  return kept;
};

/** Ends what was left running, also the rest of it where a part has gone already, and returns what it was. */
export const stopKept = async (): Promise<KeptEngine | undefined> => {
  const kept = read();
  if (kept === undefined) return undefined;
  const alive = kept.processes.filter(({ pid, startedAt }) => startOf(pid) === startedAt);
  for (const { pid } of alive) await stopGroup(pid, 15);
  if (kept.engine === 'localstack-docker') await stopLocalstackDocker();
  rmSync(stateFile, { force: true });
  return kept.processes.length === 0 || alive.length > 0 ? kept : undefined;
};
