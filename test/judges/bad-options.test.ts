import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { projectRoot } from '../../localstack/places.ts';

/** A number that is none would be a run of nothing, and a run of nothing finds nothing wrong. */
it.for<[string, readonly string[], string]>([
  ['test/support/simulation/cli.ts', ['--seeds', 'many'], '--seeds takes a whole number from 1'],
  ['test/support/simulation/cli.ts', ['--threads', '0'], '--threads takes a whole number from 1'],
  ['test/support/simulation/cli.ts', ['--seed', ''], '--seed takes a whole number'],
  ['test/fuzz/cli.ts', ['--requests', '1e99'], '--requests takes a whole number from 1'],
  ['test/fuzz/cli.ts', ['--seed', '-1'], "'--seed' argument is ambiguous"],
  ['test/soak/run.ts', ['--minutes', '0'], '--minutes takes a number from 0.25'],
  ['test/drills/run.ts', ['no-such-drill'], 'There is no drill no-such-drill'],
  ['bench/bench.ts', ['--rounds', '0'], '--rounds takes a whole number from 1'],
  ['bench/growth.ts', ['--huge'], "Unknown option '--huge'"],
  ['bench/contention.ts', ['--huge'], "Unknown option '--huge'"],
])('%s %j ends with 2 before anything is started, and says why', ([file, args, why]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect(stderr).toContain(why);
  expect(stderr).not.toContain('    at ');
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
});
