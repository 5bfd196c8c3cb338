// Finds Python 3.13, the only one that LocalStack 4.14 runs on, or installs it with what brings interpreters of its own.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { versionOf } from '../environments.mjs';

const wanted = '3.13';
const installSecondsMax = 600;

const outputOf = (command, args) => {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout.trim() : undefined;
};

const isWanted = (python) => python !== undefined && versionOf(python)?.join('.') === wanted;

/** pyenv's shims answer only for the version that is set, so its interpreters are looked at themselves. */
const fromPyenv = () => {
  const root = outputOf('pyenv', ['root']);
  const versions = outputOf('pyenv', ['versions', '--bare'])?.split('\n') ?? [];
  const version = versions.filter((name) => name.startsWith(`${wanted}.`)).at(-1);
  return root && version ? join(root, 'versions', version, 'bin', 'python') : undefined;
};

const fromUv = () => outputOf('uv', ['python', 'find', '--no-python-downloads', wanted]);

const find = () => [`python${wanted}`, 'python3', fromPyenv(), fromUv()].find(isWanted);

/** Each leaves the machine's own interpreter alone. */
const installers = [
  ['uv', ['python', 'install', wanted]],
  ['pyenv', ['install', '--skip-existing', wanted]],
];

const install = () => {
  for (const [command, args] of installers) {
    if (outputOf(command, ['--version']) === undefined) continue;
    console.error(`Python ${wanted} is missing. Installing it: ${command} ${args.join(' ')} …`);
    spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: installSecondsMax * 1_000 });
    const python = find();
    if (python !== undefined) return python;
  }
  return undefined;
};

/** The interpreter as `python`; or, as `missing`, a sentence that says what to do. */
export const obtainPython = () => {
  const named = process.env.PYTHON313;
  if (named) {
    if (isWanted(named)) return { python: named };
    return { missing: `The variable PYTHON313 names "${named}", which is not Python ${wanted} or cannot be run.` };
  }
  const python = find() ?? install();
  if (python !== undefined) return { python };
  return {
    missing:
      `LocalStack needs Python ${wanted} exactly. None was found on the PATH, with pyenv or with uv, and none could be ` +
      `installed with them. Install it, or name one: PYTHON313=/path/to/python${wanted}`,
  };
};
