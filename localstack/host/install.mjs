// LocalStack's own Python environment. Plain JavaScript, as localstack/bootstrap.mjs, which shares its parts.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf, isStamped, makeEnvironment, pipInstall, stampWith, versionOf } from '../environments.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const environment = join(here, '..', '..', '.localstack');
const requirements = join(here, 'requirements.txt');

export const localstackPython = join(environment, 'bin', 'python');

const wanted = '3.13';
const installSecondsMax = 600;

const outputOf = (command, args) => {
  const { status, stdout } = spawnSync(command, args, { encoding: 'utf8', timeout: 30_000 });
  return status === 0 ? stdout.trim() : undefined;
};

const isWanted = (python) => versionOf(python)?.join('.') === wanted;

/** pyenv's shim answers only for the version that is set, so its interpreters are looked at themselves. */
const fromPyenv = () => {
  const root = outputOf('pyenv', ['root']);
  const versions = outputOf('pyenv', ['versions', '--bare'])?.split('\n') ?? [];
  const version = versions.filter((name) => name.startsWith(`${wanted}.`)).at(-1);
  return root && version ? join(root, 'versions', version, 'bin', 'python') : undefined;
};

const fromUv = () => outputOf('uv', ['python', 'find', '--no-python-downloads', wanted]);

const findPython = () => {
  const named = process.env.PYTHON313;
  const candidates = named ? [named] : [`python${wanted}`, 'python3', fromPyenv(), fromUv()];
  return candidates.find((python) => python && isWanted(python));
};

/** Each brings its own interpreter and leaves the machine's alone. */
const installers = [
  ['uv', ['python', 'install', wanted]],
  ['pyenv', ['install', '--skip-existing', wanted]],
];

const installPython = () => {
  for (const [command, args] of installers) {
    if (outputOf(command, ['--version']) === undefined) continue;
    console.error(`Python ${wanted} is missing. Installing it: ${command} ${args.join(' ')} …`);
    spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], timeout: installSecondsMax * 1_000 });
    const python = findPython();
    if (python !== undefined) return python;
  }
  return undefined;
};

const sources = () => [
  requirements,
  join(here, 'pyproject.toml'),
  ...readdirSync(join(here, 'sluice_localstack'), { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(here, 'sluice_localstack', entry.name))
    .sort(),
];

/** The build writes beside the sources, so it is given a copy of them. */
const installPlugin = () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-localstack-'));
  try {
    cpSync(here, copy, { recursive: true });
    pipInstall(environment, ['--no-build-isolation', '--no-deps', '--force-reinstall', copy]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

/**
 * Brings the environment up to date with its pins and with the plugin's sources. Returns what is `missing`, as a sentence
 * that says what to do, where Python 3.13 is neither there nor can be installed. Ends the process when pip fails.
 */
export const installLocalstack = () => {
  const pins = join(environment, '.sluice-requirements-hash');
  const plugin = join(environment, '.sluice-plugin-hash');
  if (!isStamped(pins, hashOf(requirements))) {
    const python = findPython() ?? installPython();
    if (python === undefined) {
      return {
        missing:
          `LocalStack needs Python ${wanted} exactly. None was found on the PATH, with pyenv or with uv, and ` +
          'none could be installed with them. Install it, or name one: PYTHON313=/path/to/python3.13',
      };
    }
    console.error(`Installing LocalStack into .localstack (${python}), 500 MB …`);
    makeEnvironment(python, environment);
    pipInstall(environment, ['--requirement', requirements]);
    stampWith(pins, hashOf(requirements));
  }
  if (!isStamped(plugin, hashOf(...sources()))) {
    installPlugin();
    stampWith(plugin, hashOf(...sources()));
  }
  return {};
};
