import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { progress, report } from './demo/report.ts';
import { Stage } from './demo/stage.ts';
import { capacity, conflict, drain, mainJob, redrive } from './demo/steps.ts';
import { deployLocal } from './deploy.ts';
import { chooseEngine } from './engines/choice.ts';
import { startEngine } from './engines/engine.ts';
import type { LocalOutputs } from './outputs.ts';
import { localDirectory } from './places.ts';
import { runNode } from './run.ts';
import { EmulatorError } from './server.ts';

const help = `Usage: npm start [-- options]

Starts the embedded emulator, deploys the local stage and sends real jobs through it: accepted, refused when full, run
once though delivered twice, retried, dead after three attempts, redriven, and at last drained. Ends with a table of expected against
observed, PASS or FAIL, and exit code 0 or 1. Takes under two minutes.

  --keep     Leave emulator and stack running, as npm run local:up does, and print what to try next.
  --port N   With --keep: the emulator's port, 4566 unless SLUICE_PORT says otherwise.
  --engine E Another engine than the embedded emulator, as for npm run local:up.
  --help     This text.`;

const tryNext = (outputs: LocalOutputs): string => `
Left running. To try next:
  npm run local:status                 where it is
  npm run local:down                   stop it
  cat .local/outputs.json              API, queue and table names
Submit a job (any key pair does here; curl signs the request):
  curl --user test:test --aws-sigv4 aws:amz:${outputs.region}:execute-api -H 'content-type: application/json' \\
    -H 'idempotency-key: my-first' -d '{"type":"ledger.credit","payload":{"account":"me","amount":5}}' \\
    ${outputs.apiUrl}/jobs`;

const demonstrate = async (outputs: LocalOutputs): Promise<boolean> => {
  const stage = new Stage(outputs);
  const run = randomBytes(3).toString('hex');
  const main = await mainJob(stage, run);
  const findings = [
    ...main.findings,
    ...(await conflict(stage, run, main.a)),
    ...(await capacity(stage, run)),
    ...(await redrive(stage, run)),
    ...(await drain(stage, run)),
  ];
  return report(findings);
};

const onOwnEmulator = async (engine: string | undefined): Promise<boolean> => {
  const choice = chooseEngine(engine, process.env);
  const name = `demo-${process.pid}`;
  progress(choice.name === 'ministack' ? 'starting the embedded emulator on a free port' : `engine: ${choice.name}`);
  const emulator = await startEngine(choice, { name });
  try {
    progress('building and deploying the stack (the first time takes longest)');
    const outputs = await deployLocal({ endpointUrl: emulator.endpointUrl, outDir: `${localDirectory}/${name}` });
    progress('deployed');
    return await demonstrate(outputs);
  } finally {
    await emulator.stop();
    rmSync(`${localDirectory}/${name}`, { recursive: true, force: true });
  }
};

const onKeptEmulator = async (engine: string | undefined, port: string | undefined): Promise<boolean> => {
  const options = [...(engine ? ['--engine', engine] : []), ...(port ? ['--port', port] : [])];
  await runNode(['localstack/local.ts', 'up', ...options], {});
  const outputs: LocalOutputs = JSON.parse(readFileSync(`${localDirectory}/outputs.json`, 'utf8'));
  const passed = await demonstrate(outputs);
  console.log(tryNext(outputs));
  return passed;
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      keep: { type: 'boolean' },
      port: { type: 'string' },
      engine: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  return (await (values.keep ? onKeptEmulator(values.engine, values.port) : onOwnEmulator(values.engine))) ? 0 : 1;
};

try {
  process.exitCode = await main();
} catch (error) {
  const known = error instanceof EmulatorError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  console.error(known ? (error as Error).message : error);
  console.error('\nFAIL');
  process.exitCode = known ? 2 : 1;
}
