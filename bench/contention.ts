import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { productionLimits } from '#core/limits.ts';
import { describeSchema } from '#test/support/describe-schema.ts';
import { connectionTo, freshPlace, type Place } from '#test/support/workers/place.ts';
import { runMain } from '../localstack/command-line.ts';
import { deployLocal } from '../localstack/deploy.ts';
import { startEmulator } from '../localstack/emulator.ts';
import { localDirectory, projectRoot } from '../localstack/places.ts';
import { conditionsNow } from './conditions.ts';
import { hotExpectations, hotLoads, missesOf, slotExpectations, slotLoads } from './contention/expected.ts';
import { creditHotAccount } from './contention/hot-account.ts';
import { type Contention, expectedText, hotRowName, missText, sectionText, slotRowName } from './contention/report.ts';
import { contendForSlots } from './contention/slots.ts';
import { withSection } from './sections.ts';

const help = `Usage: npm run bench:contention [-- options]

Lets many instances fight over few slots, and many consumers over one account, on the real adapters and an emulator of
its own, with the transaction conflicts that the emulator never gives. States what it expects first, prints what came of
it, and writes bench/results/contention.json and .md. Takes about five minutes. Exit code 0: all as expected; 1: not;
2: usage.

  --json      Print the result as JSON on standard output, everything else on standard error.
  --publish   Also write the section "Contention" of bench/RESULTS.md.
  --help      This text.`;

const measure = async (
  fresh: () => Promise<Place>,
  conditions: Contention['conditions'],
  say: (line: string) => void,
): Promise<Contention> => {
  const slots: Contention['slots'][number][] = [];
  const hotAccounts: Contention['hotAccounts'][number][] = [];
  for (const load of slotLoads) {
    const row = await contendForSlots(await fresh(), load);
    say(`${slotRowName(row)}: ${row.taken} taken, ${row.inError} refused in error`);
    slots.push(row);
  }
  for (const load of hotLoads) {
    const row = await creditHotAccount(await fresh(), load);
    say(`${hotRowName(row)}: ${row.succeeded} succeeded in ${row.transactions} transactions`);
    hotAccounts.push(row);
  }
  const misses = [
    ...slots.flatMap((row) => missesOf(slotExpectations, row).map((miss) => ({ row: slotRowName(row), ...miss }))),
    ...hotAccounts.flatMap((row) => missesOf(hotExpectations, row).map((miss) => ({ row: hotRowName(row), ...miss }))),
  ];
  return { conditions, slots, hotAccounts, misses };
};

const onEmulator = async (say: (line: string) => void): Promise<Contention> => {
  const conditions = conditionsNow();
  const name = `contention-${process.pid}`;
  say('starting the emulator and deploying');
  const emulator = await startEmulator({ name });
  try {
    const outputs = await deployLocal({ endpointUrl: emulator.endpointUrl, outDir: `${localDirectory}/${name}` });
    const clients = { dynamo: new DynamoDBClient(connectionTo(outputs)), sqs: new SQSClient(connectionTo(outputs)) };
    const schema = await describeSchema(clients.dynamo, outputs.jobsTableName);
    const { attemptsMax: maxReceiveCount, visibilitySeconds } = productionLimits;
    const fresh = () =>
      freshPlace(outputs, clients, { name: 'contention', schema, maxReceiveCount, visibilitySeconds });
    return await measure(fresh, conditions, say);
  } finally {
    await emulator.stop();
    rmSync(`${localDirectory}/${name}`, { recursive: true, force: true });
  }
};

const write = (found: Contention, publish: boolean): void => {
  const directory = `${projectRoot}/bench/results`;
  const section = sectionText(found);
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/contention.json`, `${JSON.stringify(found, null, 2)}\n`);
  writeFileSync(`${directory}/contention.md`, `${section}\n`);
  if (!publish) return;
  const results = `${projectRoot}/bench/RESULTS.md`;
  writeFileSync(results, withSection(readFileSync(results, 'utf8'), 'Contention', section));
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      json: { type: 'boolean', default: false },
      publish: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const print = values.json ? console.error : console.log;
  const startedAt = Date.now();
  const say = (line: string) => print(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
  print(`${expectedText()}\n`);
  const found = await onEmulator(say);
  write(found, values.publish);
  print(`\n${sectionText(found)}\n`);
  print(found.misses.length === 0 ? 'PASS' : `FAIL:\n${missText(found.misses)}`);
  if (values.json) console.log(JSON.stringify(found, null, 2));
  return found.misses.length === 0 ? 0 : 1;
};

await runMain(main);
