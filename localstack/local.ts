import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { deployLocal } from './deploy.ts';
import { EmulatorError, endpointUrlOf, startEmulator } from './emulator.ts';
import type { LocalOutputs } from './outputs.ts';
import { localDirectory } from './places.ts';
import { startOf, stopGroup } from './processes.ts';

const help = `Usage: npm run local:<verb> [-- options]   (or: node localstack/local.ts <verb> [options])

  up       Start the emulator, deploy the stack, write .local/outputs.json. When it is up: deploy what has changed.
  down     Stop the emulator. Its state is in memory, so jobs and tables are gone.
  reset    down, remove what is left of it, up.
  status   Say whether it is up, and where. Exit code 1 if it is not.

  --port N   The emulator's port: 4566 unless SLUICE_PORT or this says otherwise.
  --json     Print the result as JSON on standard output; progress goes to standard error.
  --help     This text.`;

const stateFile = `${localDirectory}/emulator.json`;
const outputsFile = `${localDirectory}/outputs.json`;

/** What is written down about the emulator that was left running. `startedAt` proves that the process is still it. */
interface RunningEmulator {
  readonly pid: number;
  readonly startedAt: string;
  readonly port: number;
}

interface Command {
  readonly port: number | undefined;
  readonly json: boolean;
}

const say = (command: Command, line: string): void => {
  if (command.json) console.error(line);
  else console.log(line);
};

const readState = (): RunningEmulator | undefined => {
  if (!existsSync(stateFile)) return undefined;
  const state: RunningEmulator = JSON.parse(readFileSync(stateFile, 'utf8'));
  return startOf(state.pid) === state.startedAt ? state : undefined;
};

const writeJson = (file: string, value: unknown): void => {
  mkdirSync(localDirectory, { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
};

const down = async (command: Command): Promise<void> => {
  const state = readState();
  if (state !== undefined) await stopGroup(state.pid);
  rmSync(stateFile, { force: true });
  rmSync(outputsFile, { force: true });
  say(command, state ? `Stopped the emulator on port ${state.port}.` : 'Nothing was running.');
};

const startDetached = async (command: Command): Promise<RunningEmulator> => {
  const { pid, port } = await startEmulator({ name: 'emulator', port: command.port ?? 4566, detached: true });
  const state = { pid, port, startedAt: startOf(pid) ?? '' };
  writeJson(stateFile, state);
  say(command, `The emulator is up on port ${port}.`);
  return state;
};

const up = async (command: Command): Promise<void> => {
  const running = readState();
  if (running !== undefined && command.port !== undefined && command.port !== running.port) {
    throw new EmulatorError(`It is up on port ${running.port} already. To move it: npm run local:down, then up again.`);
  }
  if (running !== undefined) say(command, `The emulator is up on port ${running.port} already.`);
  const { port } = running ?? (await startDetached(command));
  say(command, 'Deploying …');
  const outputs = await deployLocal({ endpointUrl: endpointUrlOf(port), outDir: `${localDirectory}/emulator` });
  writeJson(outputsFile, outputs);
  if (command.json) console.log(JSON.stringify(outputs, null, 2));
  else console.log(`Deployed. The API is at ${outputs.apiUrl}\nEverything else is in .local/outputs.json`);
};

const reset = async (command: Command): Promise<void> => {
  // It comes back on the port that it had, unless another is asked for.
  const port = command.port ?? readState()?.port;
  await down(command);
  rmSync(`${localDirectory}/emulator`, { recursive: true, force: true });
  await up({ ...command, port });
};

const status = (command: Command): void => {
  const state = readState();
  const outputs: LocalOutputs | undefined =
    state && existsSync(outputsFile) ? JSON.parse(readFileSync(outputsFile, 'utf8')) : undefined;
  if (command.json) console.log(JSON.stringify({ running: state !== undefined, ...state, outputs }, null, 2));
  else if (state === undefined) console.log('Not running. Start it: npm run local:up');
  else console.log(`Running on port ${state.port}, process ${state.pid}. ${outputs?.apiUrl ?? 'Nothing is deployed.'}`);
  process.exitCode = state === undefined ? 1 : 0;
};

const readPort = (text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new EmulatorError(`"${text}" is not a port: give a whole number from 1 to 65535.`);
};

const verbs: Record<string, (command: Command) => Promise<void> | void> = { up, down, reset, status };

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      port: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const verb = verbs[positionals[0] ?? ''];
  if (values.help || verb === undefined || positionals.length !== 1) {
    console.log(help);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  await verb({ port: readPort(values.port ?? process.env['SLUICE_PORT']), json: values.json });
};

try {
  await main();
} catch (error) {
  // A message for what a person can mend; a stack for everything else.
  const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  console.error(error instanceof EmulatorError || isUsage ? error.message : error);
  process.exitCode = isUsage ? 2 : 1;
}
