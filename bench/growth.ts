import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runMain } from '../localstack/command-line.ts';
import { projectRoot } from '../localstack/places.ts';
import { type Bench, startBench } from './deployment.ts';
import { type GrowthRow, GrowthSteps } from './growth-steps.ts';
import { CountingProxy } from './proxy.ts';
import { Seeder } from './seed.ts';
import { until } from './wait.ts';

/** `--large` takes minutes more. */
const sizesOf = (large: boolean) => ({
  table: large ? [0, 10_000, 100_000] : [0, 10_000],
  backlog: large ? [0, 1_000, 20_000] : [0, 1_000],
  dead: large ? [30, 1_000, 10_000] : [30, 1_000],
});

const startedAt = Date.now();
const say = (line: string): void =>
  console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`);

/** A delivery to a host that no stage allows is dead after its first attempt. */
const makeOneDead = async ({ sluice }: Bench): Promise<void> => {
  const payload = { url: 'https://receiver.invalid/', body: {} };
  await sluice.api.submit('dead-1', 'webhook.deliver', payload);
  await until('a dead job', 30, async () => {
    const { body } = await sluice.api.call<{ jobs: unknown[] }>('GET', '/operator/dead');
    return body.jobs.length > 0;
  });
};

const run = async (bench: Bench, steps: GrowthSteps, large: boolean): Promise<void> => {
  const { table, backlog, dead } = sizesOf(large);
  const { sluice } = bench;
  // As many slots as the largest backlog takes, and the measured jobs beside it.
  await sluice.api.call('POST', '/operator/capacity', { capacity: (backlog.at(-1) ?? 0) + 1_000 });
  await steps.submitInBulk(50);
  await sluice.drained();

  let ended = 0;
  for (const size of table) {
    say(`${size} ended jobs in the table`);
    if (size > ended) await steps.copies('succeeded', size - ended);
    ended = size;
    await steps.job(size);
    await steps.list('a page of the caller’s jobs', '/jobs?limit=50', size);
    await steps.list('a page of all jobs', '/operator/jobs?limit=50', size);
    await steps.bareQuery('recent', size);
  }
  for (const size of backlog) {
    say(`a backlog of ${size} jobs`);
    await sluice.consume(false);
    await steps.submitInBulk(size);
    await steps.submission(size);
    await steps.reconcile(size);
    await steps.list('status', '/operator/status', size);
    await steps.drain(size, size + 60);
  }
  await makeOneDead(bench);
  let parked = 1;
  for (const size of dead) {
    say(`${size} dead jobs`);
    await steps.copies('dead', size - parked);
    parked = size;
    await steps.list('a page of the dead', '/operator/dead?limit=50', size);
    await steps.bareQuery('dead', size);
    await steps.list('status, with dead jobs', '/operator/status', size);
    await steps.redrive(size);
  }
};

const reportOf = (rows: readonly GrowthRow[]): string => {
  const lines = rows
    .toSorted((a, b) => a.what.localeCompare(b.what) || a.size - b.size)
    .map(({ what, size, per, tally, milliseconds }) => [
      what,
      String(size),
      per,
      tally.callsTotal.toFixed(2),
      tally.writeUnitsTotal.toFixed(2),
      tally.readUnits.toFixed(2),
      milliseconds.toFixed(1),
    ]);
  const header = ['what', 'size', 'per', 'calls', 'write units', 'read units', 'ms'];
  return [header, ['---', '---:', '---', '---:', '---:', '---:', '---:'], ...lines]
    .map((line) => `| ${line.join(' | ')} |`)
    .join('\n');
};

const explained = `Calls and units are flat where a job is concerned. What grows, and why: a run of the reconciler reads each record in
flight once, a hundred a call, up to a bound, and all shards, whose number follows from the capacity. A job that has waited
longer than the stage allows (10 s on this one, 15 min in production) is marked as stale, once, with a write: that is most of
a run's writes with many in flight. A scheduled run that fell into a step is counted with it, as with 20,000 waiting. A page
reads its limit from each bucket of its index and then the records that it shows, so it is bounded by the page and not by the
table. The milliseconds of pages grow with the emulator, which reads a table from end to end where DynamoDB follows an index,
as a bare query at the same size shows; its milliseconds of jobs do not. Status counts the dead up to 10,000. A redrive
includes what its jobs cost when they run and die again.`;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: { large: { type: 'boolean', default: false } } });
  say('starting the emulator and deploying');
  const bench = await startBench();
  const proxy = new CountingProxy(bench.outputs.endpointUrl);
  try {
    const { outputs, sluice } = bench;
    for (const [by, name] of Object.entries({
      api: outputs.apiFunctionName,
      consumer: outputs.consumerFunctionName,
      operator: outputs.operatorFunctionName,
      reconcile: outputs.reconcileFunctionName,
    })) {
      await sluice.route(name, await proxy.open(by));
    }
    const steps = new GrowthSteps(bench, proxy, new Seeder(outputs.endpointUrl, outputs.jobsTableName));
    await run(bench, steps, values.large);
    const directory = `${projectRoot}/bench/results`;
    mkdirSync(directory, { recursive: true });
    writeFileSync(`${directory}/growth.json`, `${JSON.stringify(steps.rows, null, 2)}\n`);
    writeFileSync(`${directory}/growth.md`, `${explained}\n\n${reportOf(steps.rows)}\n`);
    console.log(`\n${reportOf(steps.rows)}\n`);
    say('written to bench/results/growth.json and .md');
    return 0;
  } finally {
    await proxy.close();
    await bench.stop();
  }
};

await runMain(main);
