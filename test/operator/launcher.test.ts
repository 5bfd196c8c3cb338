import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { statusLike } from './support/answers.ts';
import { fakeApi } from './support/fake-api.ts';
import { startSluice } from './support/program.ts';
import { sluice } from './support/sluice.ts';

describe('sluice as a program', () => {
  test('runs from any directory, data on its output and notes beside it', async () => {
    const api = await fakeApi(() => ({ body: statusLike({ dead: 1 }) }));
    const { code, out, notes } = await startSluice(['status', '--api-url', api.url]);
    expect({ code, notes }).toEqual({ code: 0, notes: '' });
    expect(out).toMatch(/^Intake {5}open\n[\s\S]*Dead {7}1\n$/);
  }, 20_000);

  test('hands its exit code on, and writes no colours off a terminal', async () => {
    const { code, out, notes } = await startSluice(['job', 'show', 'xyz'], { NO_COLOR: '1' });
    expect({ code, out, notes }).toEqual({
      code: 2,
      out: '',
      notes: expect.stringMatching(/^error: Not an id: xyz/),
    });
    expect(notes).not.toContain('\u001b');
  }, 20_000);
});

describe('completion', () => {
  const complete = async (...typed: readonly string[]): Promise<readonly string[]> => {
    const { out } = await sluice(['completion', 'bash']);
    const words = ['sluice', ...typed].map((word) => `'${word}'`).join(' ');
    const script = `${out.join('\n')}\nCOMP_WORDS=(${words}); COMP_CWORD=${typed.length}; _sluice; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
    expect(stderr).toBe('');
    return stdout.trim().split('\n');
  };

  test('offers commands, then their options and those of all', async () => {
    expect(await complete('')).toEqual(expect.arrayContaining(['job', 'dead', 'doctor', '--json']));
    expect(await complete('d')).toEqual(['dead', 'doctor']);
    expect(await complete('dead', 'r')).toEqual(['redrive']);
    expect(await complete('--json', 'dead', 'redrive', '--r')).toEqual(['--reason', '--rate', '--region']);
  });

  test('for zsh is the same behind its own names', async () => {
    const { out } = await sluice(['completion', 'zsh']);
    expect(out[0]).toMatch(/^#compdef sluice\n/);
  });
});
