import { describe, expect, test } from 'vitest';
import { readOptions, type Usage } from '../../deploy/options.ts';

const usage: Usage = {
  script: 'deploy',
  about: 'Deploys a stack.',
  takes: ['stage', 'name', 'profile', 'region', 'app', 'rollback', 'yes', 'help'],
};
const read = (...argv: string[]) => readOptions(usage, argv);

describe('the command line of npm run deploy', () => {
  test('means the production stage, under its own name, with questions', () => {
    expect(read()).toEqual({ stage: 'production', stackName: 'sluice-production', yes: false, rollback: false });
  });

  test('takes what it is told', () => {
    const argv = [
      '--stage',
      'prod',
      '--name',
      'blue',
      '--profile',
      'p',
      '--region',
      'eu-west-1',
      '--app',
      'dir',
      '--yes',
    ];
    expect(read(...argv)).toEqual({
      ...{ stage: 'production', stackName: 'blue', profile: 'p', region: 'eu-west-1', app: 'dir' },
      ...{ yes: true, rollback: false },
    });
  });

  test('has a help that names every option', () => {
    const answer = read('--help');
    const help = 'help' in answer ? answer.help : '';
    for (const option of usage.takes) expect(help).toContain(`--${option}`);
  });

  test.each([
    [['--stage', 'prd'], 'There is no stage prd: give --stage prod'],
    [['--name', '1st'], '"1st" is no stack name'],
    [['--name', `a${'b'.repeat(50)}`], 'up to 50 letters'],
    [['--name', ''], '--name is empty'],
    [['--profile', ''], '--profile is empty'],
    [['--out', 'x'], 'npm run deploy -- --help'],
    [['--yes=1'], 'npm run deploy -- --help'],
    [['sluice-blue'], 'npm run deploy -- --help'],
    [['--app', 'x', '--rollback'], 'not both'],
  ])('%j is refused and says why', (argv, why) => {
    expect(() => read(...argv)).toThrow(
      expect.objectContaining({ name: 'UsageError', message: expect.stringContaining(why) }),
    );
  });
});
