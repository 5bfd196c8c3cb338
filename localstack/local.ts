import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runMain } from './command-line.ts';
import { deployLocal } from './deploy.ts';
import { chooseEngine, type EngineChoice } from './engines/choice.ts';
import { type KeptEngine, keepEngine, readKept, stopKept } from './engines/kept.ts';
import type { LocalOutputs } from './outputs.ts';
import { localDirectory } from './places.ts';
import { EmulatorError } from './server.ts';

const help = `Usage: npm run local:<verb> [-- options]   (or: node localstack/local.ts <verb> [options])

  up       Start the emulator, deploy the stack, write .local/outputs.json. When it is up: deploy what has changed.
  down     Stop the emulator. Its state is in memory, so jobs and tables are gone.
  reset    down, remove what is left of it, up.
  status   Say whether it is up, and where. Exit code 1 if it is not.

  --engine E What to start: ministack (the embedded emulator), localstack-docker, localstack-host. SLUICE_ENGINE says
             it too. With AWS_ENDPOINT_URL nothing is started: the stack is deployed to the emulator that is there.
  --port N   The emulator's port: 4566 unless SLUICE_PORT or this says otherwise.
  --json     Print the result as JSON on standard output; progress goes to standard error.
  --help     This text.`;

const outputsFile = `${localDirectory}/outputs.json`;

interface Command {
  readonly engine: string | undefined;
  readonly port: number | undefined;
  readonly json: boolean;
}

const say = (command: Command, line: string): void => {
  if (command.json) console.error(line);
  else console.log(line);
};

/** `on port 4566` for what was started here. */
const placeOf = ({ engine, endpointUrl }: KeptEngine): string =>
  engine === 'endpoint' ? `at ${endpointUrl}` : `on port ${new URL(endpointUrl).port}`;

const titleOf = ({ engine }: KeptEngine): string => (engine === 'ministack' ? 'emulator' : `engine ${engine}`);

const down = async (command: Command): Promise<number> => {
  const stopped = await stopKept();
  rmSync(outputsFile, { force: true });
  if (stopped?.engine === 'endpoint') {
    say(command, `The emulator ${placeOf(stopped)} was not started here and goes on, with the stack in it.`);
  } else say(command, stopped ? `Stopped the ${titleOf(stopped)} ${placeOf(stopped)}.` : 'Nothing was running.');
  return 0;
};

/** What is up already stays, so another engine or port than its own is a mistake. */
const checkSame = (running: KeptEngine, choice: EngineChoice, command: Command): void => {
  const asked = command.engine || process.env['SLUICE_ENGINE'] || process.env['AWS_ENDPOINT_URL'];
  const sameEndpoint = choice.name !== 'endpoint' || choice.endpointUrl === running.endpointUrl;
  if (asked && !(choice.name === running.engine && sameEndpoint)) {
    throw new EmulatorError(
      `The ${titleOf(running)} is up ${placeOf(running)} already. For another engine: npm run local:down, then up again.`,
    );
  }
  if (command.port !== undefined && String(command.port) !== new URL(running.endpointUrl).port) {
    throw new EmulatorError(`It is up ${placeOf(running)} already. To move it: npm run local:down, then up again.`);
  }
};

const start = async (choice: EngineChoice, command: Command): Promise<KeptEngine> => {
  const kept = await keepEngine(choice, { name: 'emulator', port: command.port ?? 4566 });
  say(command, `The ${titleOf(kept)} is up ${placeOf(kept)}.`);
  return kept;
};

const up = async (command: Command): Promise<number> => {
  const choice = chooseEngine(command.engine, process.env);
  const running = await readKept();
  if (running !== undefined) {
    checkSame(running, choice, command);
    say(command, `The ${titleOf(running)} is up ${placeOf(running)} already.`);
  }
  const { endpointUrl } = running ?? (await start(choice, command));
  say(command, 'Deploying …');
  const outputs = await deployLocal({ endpointUrl, outDir: `${localDirectory}/emulator` });
  mkdirSync(localDirectory, { recursive: true });
  writeFileSync(outputsFile, `${JSON.stringify(outputs, null, 2)}\n`);
  if (command.json) console.log(JSON.stringify(outputs, null, 2));
  else console.log(`Deployed. The API is at ${outputs.apiUrl}\nEverything else is in .local/outputs.json`);
  return 0;
};

const reset = async (command: Command): Promise<number> => {
  const choice = chooseEngine(command.engine, process.env);
  const running = await readKept();
  if (choice.name === 'endpoint' || running?.engine === 'endpoint') {
    throw new EmulatorError('An emulator that was not started here cannot be reset from here: empty it where it runs.');
  }
  // It comes back as what it was and on the port that it had, unless others are asked for.
  const port = command.port ?? (running && Number(new URL(running.endpointUrl).port));
  const engine = command.engine || process.env['SLUICE_ENGINE'] || running?.engine;
  await down(command);
  rmSync(`${localDirectory}/emulator`, { recursive: true, force: true });
  return up({ ...command, port, engine });
};

const status = async (command: Command): Promise<number> => {
  const running = await readKept();
  const outputs: LocalOutputs | undefined =
    running && existsSync(outputsFile) ? JSON.parse(readFileSync(outputsFile, 'utf8')) : undefined;
  if (command.json) console.log(JSON.stringify({ running: running !== undefined, ...running, outputs }, null, 2));
  else if (running === undefined) console.log('Not running. Start it: npm run local:up');
  else {
    const pids = running.processes.map(({ pid }) => `, process ${pid}`).join('');
    console.log(`Running: ${running.engine} ${placeOf(running)}${pids}. ${outputs?.apiUrl ?? 'Nothing is deployed.'}`);
  }
  return running === undefined ? 1 : 0;
};

const readPort = (text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new EmulatorError(`"${text}" is not a port: give a whole number from 1 to 65535.`);
};

/** Each resolves to the exit code. */
const verbs: Record<string, (command: Command) => Promise<number>> = { up, down, reset, status };

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      engine: { type: 'string' },
      port: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const verb = verbs[positionals[0] ?? ''];
  if (values.help || verb === undefined || positionals.length !== 1) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  return verb({
    engine: values.engine,
    port: readPort(values.port ?? process.env['SLUICE_PORT']),
    json: values.json,
  });
};

await runMain(main);
