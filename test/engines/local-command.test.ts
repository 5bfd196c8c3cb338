import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { projectRoot } from '../../localstack/places.ts';

const run = (file: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const { status, stderr, stdout } = spawnSync(process.execPath, [`localstack/${file}`, ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
  return { status, stderr, stdout };
};

it.for<[string, readonly string[]]>([
  ['local.ts', ['up']],
  ['local.ts', ['reset']],
  ['demo.ts', []],
])('%s %j refuses an engine that there is not, before anything is started or stopped', ([file, args]) => {
  const { status, stderr } = run(file, [...args, '--engine', 'moto']);
  expect(stderr).toContain('There is no engine "moto". Give one of ministack, localstack-docker, localstack-host');
  expect(status).not.toBe(0);
});

it('and refuses AWS itself as an endpoint', () => {
  const { status, stderr } = run('local.ts', ['up'], { AWS_ENDPOINT_URL: 'https://sqs.us-east-1.amazonaws.com' });
  expect(stderr).toContain('names AWS itself');
  expect(status).toBe(1);
});

it('an emulator that was not started here is not reset', () => {
  const { status, stderr } = run('local.ts', ['reset'], { AWS_ENDPOINT_URL: 'http://127.0.0.1:9' });
  expect(stderr).toContain('cannot be reset from here');
  expect(status).toBe(1);
});
