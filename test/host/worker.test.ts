import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { projectRoot } from '../../localstack/places.ts';

/** Timeout, crash, init error, logs, concurrency and a clean stop stand in localstack/host/tests/test_worker.py. */
it('the worker that runs Lambda functions without Docker passes its own tests', { timeout: 120_000 }, () => {
  const { status, stderr } = spawnSync(
    `${projectRoot}/.emulator/bin/python`,
    ['-B', '-W', 'error', '-m', 'unittest', 'discover', '-s', 'localstack/host/tests', '-p', 'test_worker.py'],
    { cwd: projectRoot, encoding: 'utf8', env: { PATH: `${projectRoot}/node_modules/.bin:/usr/bin:/bin` } },
  );
  expect(stderr).toMatch(/\nOK\n$/);
  const [, ran] = /^Ran (\d+) tests/m.exec(stderr) ?? [];
  expect(Number(ran)).toBeGreaterThanOrEqual(19);
  expect(status).toBe(0);
});
