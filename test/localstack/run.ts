import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { installLocalstack, localstackPython } from '../../localstack/host/install.mjs';
import { localDirectory, projectRoot } from '../../localstack/places.ts';
import type { GroupResult } from '../support/group-reporter.ts';

/*
 * `npm run test:localstack`: the plugin's tests, the demonstration and the system tests on LocalStack without Docker.
 * Ends with a table, and with the line `N passed, N failed, N skipped`.
 */

const engine = 'localstack-host';
const plugin = `${projectRoot}/localstack/host`;

interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly minutesMax: number;
}

/** Runs it in the open, and says whether it ended well. */
const runs = ({ command, args, cwd = projectRoot, env = {}, minutesMax }: Run): boolean => {
  const PATH = `${projectRoot}/node_modules/.bin:${process.env['PATH']}`;
  const { status, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, AWS_ENDPOINT_URL: '', PATH, SLUICE_ENGINE: engine, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: minutesMax * 60_000,
  });
  if (error !== undefined) console.error(`${command} ${args.join(' ')}: ${error.message}`);
  return status === 0;
};

const single = (group: string, passed: boolean): GroupResult => ({
  group,
  passed: passed ? 1 : 0,
  failed: passed ? [] : [group],
  skipped: [],
});

const systemTests = (): readonly GroupResult[] => {
  const file = `${localDirectory}/localstack-groups.json`;
  mkdirSync(localDirectory, { recursive: true });
  rmSync(file, { force: true });
  const reporters = ['default', './test/support/group-reporter.ts'].flatMap((name) => ['--reporter', name]);
  const passed = runs({
    command: 'vitest',
    args: ['run', '--project', 'contract', '--project', 'system', ...reporters],
    env: { SLUICE_GROUPS_FILE: file },
    minutesMax: 60,
  });
  try {
    const groups: GroupResult[] = JSON.parse(readFileSync(file, 'utf8'));
    // An error outside of every test fails the run all the same.
    return passed || groups.some(({ failed }) => failed.length > 0) ? groups : [...groups, single('vitest', false)];
  } catch {
    return [single('vitest', false)];
  }
};

const print = (groups: readonly GroupResult[]): void => {
  console.log('\n| group | passed | failed | skipped |\n|---|---|---|---|');
  for (const { group, passed, failed, skipped } of groups) {
    console.log(`| ${group} | ${passed} | ${failed.length} | ${skipped.length} |`);
  }
  for (const name of groups.flatMap(({ failed }) => failed)) console.log(`\nfailed: ${name}`);
  const skipped = Map.groupBy(
    groups.flatMap((group) => group.skipped),
    ({ reason }) => reason,
  );
  for (const [reason, tests] of skipped) {
    console.log(`\nskipped, since ${reason}:`);
    for (const { name } of tests) console.log(`  ${name}`);
  }
  const sum = (count: (group: GroupResult) => number) => groups.reduce((total, group) => total + count(group), 0);
  const failed = sum((group) => group.failed.length);
  const line = `${sum((group) => group.passed)} passed, ${failed} failed`;
  const skips = sum((group) => group.skipped.length);
  console.log(`\n${line}${skips > 0 ? `, ${skips} skipped` : ''}`);
  process.exitCode = failed === 0 ? 0 : 1;
};

const { missing } = installLocalstack();
if (missing === undefined) {
  const python = { command: localstackPython, cwd: plugin, minutesMax: 5 };
  print([
    single('plugin types', runs({ ...python, args: ['-m', 'mypy', 'sluice_localstack', 'tests'] })),
    single('plugin tests', runs({ ...python, args: ['-B', '-m', 'unittest', 'discover', '-s', 'tests'] })),
    single('demonstration', runs({ command: 'node', args: ['localstack/demo.ts'], minutesMax: 10 })),
    ...systemTests(),
  ]);
} else {
  console.log(`npm run test:localstack is skipped as a whole: ${missing}`);
  console.log('\n0 passed, 0 failed, 1 skipped');
}
