import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { changeVariables } from '#test/support/function-variables.ts';
import { runMain } from '../../localstack/command-line.ts';
import type { LocalOutputs } from '../../localstack/outputs.ts';
import { localDirectory } from '../../localstack/places.ts';
import { UsageError } from '../../operator/cli/exit.ts';
import { SiteKeeper } from '../drills/support/sites.ts';
import { expectations, judgedMinutesMin } from './support/expectations.ts';
import { type SoakRecord, soak } from './support/soak.ts';
import { canSeeWorkers } from './support/workers.ts';

const minutesMin = 0.25;
const minutesMax = 240;

const help = `Usage: npm run soak [-- options]

Loads a stack on an emulator of its own for a while, with faults on: duplicates, failing jobs, cancels, pauses, lowered
capacity, a closed intake, redrives, and in the first part of the time killed workers and services that are cut off. Then it waits
until all has settled, and checks that nothing is lost, effects are there once, slots are true, and the memory of the
workers is flat. States what it expects before it begins; the record lies in .local/soak/. It takes up to five minutes
more than the load. Exit code 0: all as expected; 1: not; 2: usage.

  --minutes N   How long the load lasts, ${minutesMin} to ${minutesMax}. Default 1; growth of memory is judged from ${judgedMinutesMin} on.
  --json        Print the record as JSON on standard output, everything else on standard error.
  --help        This text.`;

const minutesOf = (text: string): number => {
  const minutes = Number(text);
  if (text.trim() === '' || !(minutes >= minutesMin && minutes <= minutesMax))
    throw new UsageError(`--minutes takes a number from ${minutesMin} to ${minutesMax}, not "${text}".`);
  return minutes;
};

const faultsShownMax = 10;

const listOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} × ${count}`)
    .join(' · ') || 'none';

const tell = (record: SoakRecord, print: (line: string) => void): void => {
  print(`\n${record.jobs} jobs: ${listOf(record.states)}`);
  print(`kinds: ${listOf(record.kinds)}`);
  print(`answers: ${listOf(record.answers)}`);
  print(`disturbances: ${listOf(record.disturbances)}`);
  print(
    `at most ${record.inFlightMost} in flight; at rest and compared ${record.restSeconds.toFixed(0)} s after the load`,
  );
  for (const { functionName, pid, firstMb, lastMb } of record.memory.rows)
    print(`${functionName} ${pid}: ${firstMb.toFixed(0)} to ${lastMb.toFixed(0)} MB in the judged time`);
  print('');
  for (const { check, faults } of record.findings) {
    print(`${check}: ${faults.length === 0 ? 'as expected' : `NO, ${faults.length} faults`}`);
    for (const fault of faults.slice(0, faultsShownMax)) print(`  ${fault}`);
  }
};

/**
 * Every process of the functions collects its garbage often, see `collect.mjs`, and the space for what is new stays small
 * (MB): it grows in steps with a burst of work and never shrinks, which would look like a leak.
 */
const collectOften = (outputs: LocalOutputs): Promise<void> => {
  const { apiFunctionName, consumerFunctionName, operatorFunctionName, reconcileFunctionName } = outputs;
  const names = [apiFunctionName, consumerFunctionName, operatorFunctionName, reconcileFunctionName];
  const collector = new URL('./support/collect.mjs', import.meta.url).href;
  return changeVariables(outputs, names, (before) => ({
    ...before,
    NODE_OPTIONS: `--import=${collector} --max-semi-space-size=2`,
  }));
};

const run = async (seconds: number, json: boolean): Promise<boolean> => {
  const print = json ? console.error : console.log;
  for (const [check, expected] of Object.entries(expectations(seconds))) print(`expected, ${check}: ${expected}`);
  // The emulator ends with this process, however it ends; without a handler a signal would leave its files behind.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  const sites = new SiteKeeper();
  try {
    print('\nstarting the emulator and deploying');
    const { outputs, emulatorPid, sqs, dynamodb } = await sites.open('relayed');
    await collectOften(outputs);
    const began = Date.now();
    const progress = (line: string) => print(`${((Date.now() - began) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
    const record = await soak({ outputs, emulatorPid, relays: { sqs, dynamodb } }, { seconds, progress });
    const directory = `${localDirectory}/soak`;
    const name = record.at.replaceAll(':', '-');
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/${name}.json`, `${JSON.stringify({ node: process.version, ...record }, null, 2)}\n`);
    tell(record, print);
    print(`\n${record.passed ? 'PASS' : 'FAIL'}: ${seconds / 60} minutes. Record: .local/soak/${name}.json`);
    if (json) console.log(JSON.stringify(record, null, 2));
    return record.passed;
  } finally {
    await sites.close();
  }
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const seconds = minutesOf(values.minutes) * 60;
  if (!canSeeWorkers()) throw new UsageError('A soak looks at processes under /proc, which only Linux has.');
  return (await run(seconds, values.json)) ? 0 : 1;
};

await runMain(main);
