import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runMain, wholeNumber } from '../localstack/command-line.ts';
import { projectRoot } from '../localstack/places.ts';
import { measureBundles } from './bundles.ts';
import { conditionsNow } from './conditions.ts';
import { Counter } from './counts.ts';
import { type Bench, startBench } from './deployment.ts';
import { countOwn } from './own-counts.ts';
import { plotOf } from './plot.ts';
import { CountingProxy } from './proxy.ts';
import { reportOf, summaryOf } from './report.ts';
import type { Result, Rounds } from './result.ts';
import { delayMs, type Round, runRound, warmUp } from './rounds.ts';
import { sectionOf, withSection } from './sections.ts';

const roundsMax = 10;
/** That of production, so that the registry has the shards that it has there. */
const capacity = 1_000;

const startedAt = Date.now();
const say = (line: string): void =>
  console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`);

/** Which comes first changes from round to round. */
const timeRounds = async ({ sluice, peer }: Bench, count: number, tag: string): Promise<Rounds> => {
  const rounds: { sluice: Round[]; peer: Round[] } = { sluice: [], peer: [] };
  for (const system of [sluice, peer]) await warmUp(system, tag);
  for (let i = 0; i < count; i += 1) {
    for (const system of i % 2 === 0 ? [sluice, peer] : [peer, sluice]) {
      say(`round ${i + 1} of ${count}, ${tag}: ${system.name}`);
      rounds[system.name].push(await runRound(system, `${tag}${i}`));
    }
  }
  return rounds;
};

const countAll = async (bench: Bench, counter: Counter): Promise<Result['counts']> => {
  const countsOf = async (system: Bench['sluice']) => {
    say(`counting the calls of ${system.name}`);
    await counter.attach(system);
    await warmUp(system, 'counted');
    return counter.ordinary(system);
  };
  const peer = await countsOf(bench.peer);
  const sluice = await countsOf(bench.sluice);
  return { peer, sluice, own: await countOwn(counter, bench.sluice, capacity) };
};

const measure = async (bench: Bench, count: number): Promise<Omit<Result, 'conditions'>> => {
  await bench.sluice.api.call('POST', '/operator/capacity', { capacity });
  const rounds = await timeRounds(bench, count, 'direct');
  const proxy = new CountingProxy(bench.outputs.endpointUrl);
  try {
    const counts = await countAll(bench, new Counter(proxy));
    proxy.delayMs = delayMs;
    const delayed = await timeRounds(bench, count, 'delayed');
    say('importing the bundles');
    return { rounds, delayed, counts, bundles: measureBundles(bench.assembly, count) };
  } finally {
    await proxy.close();
  }
};

const write = (result: Result, publish: boolean): void => {
  const directory = `${projectRoot}/bench/results`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/latest.json`, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(`${directory}/latest.md`, reportOf(result));
  writeFileSync(`${directory}/latest.svg`, plotOf(result));
  if (!publish) return;
  writeFileSync(published, withOtherSections(reportOf(result), directory));
  writeFileSync(readme, withSection(readFileSync(readme, 'utf8'), 'Cost and speed', summaryOf(result)));
};

const published = `${projectRoot}/bench/RESULTS.md`;
const readme = `${projectRoot}/README.md`;
const others = { Growth: 'growth.md', Contention: 'contention.md' };

/** What the other commands found on this machine goes along, or else what the report had of them before. */
const withOtherSections = (report: string, directory: string): string => {
  const before = readFileSync(published, 'utf8');
  return Object.entries(others).reduce((text, [title, name]) => {
    const file = `${directory}/${name}`;
    const body = existsSync(file) ? readFileSync(file, 'utf8') : sectionOf(before, title);
    return body === undefined ? text : withSection(text, title, body);
  }, report);
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      /** Also writes what is kept in the repository: bench/RESULTS.md, and the README's section "Cost and speed". */
      publish: { type: 'boolean', default: false },
    },
  });
  const count = wholeNumber('rounds', values.rounds, 1, roundsMax);
  const taken = conditionsNow();
  say('starting the emulator and deploying both builds');
  const bench = await startBench();
  try {
    const found = await measure(bench, count);
    const conditions = { ...taken, rounds: count, capacity };
    const result: Result = { conditions, ...found };
    write(result, values.publish);
    console.log(`\n${reportOf(result)}`);
    say('written to bench/results/latest.json, .md and .svg');
    return 0;
  } finally {
    await bench.stop();
  }
};

await runMain(main);
