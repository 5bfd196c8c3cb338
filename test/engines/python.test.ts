import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { obtainPython } from '../../localstack/host/python.mjs';

/** A machine as far as the search looks at one: programs of these names, each a line of shell, and nothing else. */
const machineOf = (programs: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'sluice-machine-'));
  for (const [path, line] of Object.entries(programs)) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `#!/bin/sh\n${line.replaceAll('ROOT', root)}\n`);
    chmodSync(file, 0o755);
  }
  vi.stubEnv('PATH', join(root, 'bin'));
  vi.stubEnv('PYTHON313', '');
  vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  });
  return root;
};

const is = (version: string): string => `echo ${version}`;
const pyenv = (versions: string): string =>
  `case "$1" in root) echo ROOT/pyenv;; versions) printf '${versions}';; --version) echo pyenv 2;; *) exit 1;; esac`;

it('the one on the PATH', () => {
  machineOf({ 'bin/python3.13': is('3 13') });
  expect(obtainPython()).toEqual({ python: 'python3.13' });
});

it('the machine’s own, if it is of that version', () => {
  machineOf({ 'bin/python3.13': 'exit 127', 'bin/python3': is('3 13') });
  expect(obtainPython()).toEqual({ python: 'python3' });
});

it('pyenv’s newest, where only a shim is on the PATH', () => {
  const root = machineOf({
    'bin/python3.13': 'echo "command not found" >&2; exit 127',
    'bin/python3': is('3 11'),
    'bin/pyenv': pyenv('3.11.7\\n3.13.0\\n3.13.2\\n3.14.0\\n'),
    'pyenv/versions/3.13.2/bin/python': is('3 13'),
  });
  expect(obtainPython()).toEqual({ python: `${root}/pyenv/versions/3.13.2/bin/python` });
});

it('uv’s', () => {
  const root = machineOf({
    'bin/uv': '[ "$2" = find ] && echo ROOT/uv/python',
    'uv/python': is('3 13'),
  });
  expect(obtainPython()).toEqual({ python: `${root}/uv/python` });
});

it('installed with uv where it is missing', () => {
  const root = machineOf({
    'bin/uv':
      'case "$*" in "python install 3.13") echo > ROOT/bin/done;; *find*) [ -e ROOT/bin/done ] && echo ROOT/uv/python;; esac',
    'uv/python': is('3 13'),
  });
  expect(obtainPython()).toEqual({ python: `${root}/uv/python` });
});

it('where there is none and none can be installed, it says what to do', () => {
  machineOf({ 'bin/python3': is('3 12'), 'bin/pyenv': pyenv('3.12.1\\n') });
  expect(obtainPython().missing).toMatch(/needs Python 3\.13 exactly.*PYTHON313=\/path\/to\/python3\.13$/);
});

it('the one that is named, and no other', () => {
  const root = machineOf({ 'bin/python3.13': is('3 13'), 'other/python': is('3 12'), 'named/python': is('3 13') });
  vi.stubEnv('PYTHON313', `${root}/named/python`);
  expect(obtainPython()).toEqual({ python: `${root}/named/python` });
  vi.stubEnv('PYTHON313', `${root}/other/python`);
  expect(obtainPython().missing).toBe(
    `The variable PYTHON313 names "${root}/other/python", which is not Python 3.13 or cannot be run.`,
  );
});
