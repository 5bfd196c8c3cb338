import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runMain } from '../../localstack/command-line.ts';
import { localDirectory } from '../../localstack/places.ts';
import { UsageError } from '../../operator/cli/exit.ts';
import { catalogue } from './catalogue.ts';
import { conduct, type DrillResult } from './support/conduct.ts';
import type { Drill } from './support/drill.ts';
import { markdownOf, spoken, tableOf } from './support/report.ts';
import { SiteKeeper } from './support/sites.ts';

const help = `Usage: npm run drills [-- NAME…] [-- options]

Breaks the system on purpose, on embedded emulators of its own, and shows what comes of it. Each drill states what it
expects, injects its fault, and prints what it observed, with what was in flight before, during and after. All of them
take about four minutes. The record of a run lies in .local/drills/. Exit code 0: all as expected; 1: not; 2: usage.

  NAME…     Only these drills, one after another.
  --list    Name the drills and what they expect, and run nothing.
  --trace   Also print every call of the API and every run of the reconciler.
  --json    Print the record as JSON on standard output, everything else on standard error.
  --help    This text.`;

const chosen = (names: readonly string[]): readonly Drill[] => {
  const unknown = names.filter((name) => !catalogue.some((drill) => drill.name === name));
  if (unknown.length > 0) {
    const known = catalogue.map((drill) => drill.name).join(', ');
    throw new UsageError(`There is no drill ${unknown.join(', ')}. There are: ${known}.`);
  }
  return names.length === 0 ? catalogue : catalogue.filter((drill) => names.includes(drill.name));
};

const list = (drills: readonly Drill[], json: boolean): void => {
  if (json) {
    console.log(
      JSON.stringify(
        drills.map(({ name, title, expected }) => ({ name, title, expected })),
        null,
        2,
      ),
    );
    return;
  }
  for (const { name, title, expected } of drills) {
    console.log(`${name}: ${title}`);
    for (const [what, text] of Object.entries(expected)) console.log(`  ${what}: ${text}`);
  }
};

/** Writes the record of the run; returns it with its files' common name. */
const record = (at: string, seconds: number, results: readonly DrillResult[]) => {
  const directory = `${localDirectory}/drills`;
  mkdirSync(directory, { recursive: true });
  const name = at.replaceAll(':', '-');
  const file = `${directory}/${name}`;
  const content = {
    at,
    seconds,
    node: process.version,
    passed: results.every((result) => result.passed),
    drills: results,
  };
  writeFileSync(`${file}.json`, `${JSON.stringify(content, null, 2)}\n`);
  writeFileSync(`${file}.md`, markdownOf(at, seconds, results));
  return { content, name };
};

const runDrills = async (drills: readonly Drill[], options: { trace: boolean; json: boolean }): Promise<boolean> => {
  const print = options.json ? console.error : console.log;
  const started = new Date();
  const reporter = spoken(print, options.trace);
  const sites = new SiteKeeper();
  // The emulators end with this process, however it ends; without a handler a signal would leave their files behind.
  process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
  const results: DrillResult[] = [];
  try {
    for (const [i, drill] of drills.entries()) {
      const opened = sites.open(drill.site);
      // The next emulator comes up while this drill waits for time to pass.
      const next = drills[i + 1];
      if (next !== undefined) opened.finally(() => sites.prepare(next.site)).catch(() => undefined);
      results.push(await conduct(drill, () => opened, reporter));
    }
  } finally {
    await sites.close();
  }
  const seconds = (Date.now() - started.getTime()) / 1_000;
  const { content, name } = record(started.toISOString(), seconds, results);
  print(`\n${tableOf(results)}\n`);
  const passed = results.filter((result) => result.passed).length;
  print(`${content.passed ? 'PASS' : 'FAIL'}: ${passed} of ${results.length} drills in ${seconds.toFixed(0)} s`);
  print(`Record: .local/drills/${name}.json and .md`);
  if (options.json) console.log(JSON.stringify(content, null, 2));
  return content.passed;
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      trace: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const drills = chosen(positionals);
  if (values.list) {
    list(drills, values.json);
    return 0;
  }
  return (await runDrills(drills, values)) ? 0 : 1;
};

await runMain(main);
