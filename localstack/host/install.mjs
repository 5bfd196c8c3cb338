// LocalStack's own Python environment. Plain JavaScript, as localstack/bootstrap.mjs, which shares its parts.

import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf, isStamped, makeEnvironment, pipInstall, stampWith } from '../environments.mjs';
import { obtainPython } from './python.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const environment = join(here, '..', '..', '.localstack');
const requirements = join(here, 'requirements.txt');
const plugin = join(here, 'sluice_localstack');

export const localstackPython = join(environment, 'bin', 'python');

const pluginSources = () => [
  requirements,
  join(here, 'pyproject.toml'),
  ...readdirSync(plugin, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(plugin, entry.name))
    .sort(),
];

/** The build writes beside the sources, so it is given a copy of them. */
const installPlugin = () => {
  const copy = mkdtempSync(join(tmpdir(), 'sluice-localstack-'));
  try {
    for (const source of ['pyproject.toml', 'sluice_localstack']) {
      cpSync(join(here, source), join(copy, source), { recursive: true });
    }
    pipInstall(environment, ['--no-build-isolation', '--no-deps', '--force-reinstall', copy]);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
};

/**
 * Brings the environment up to date with its pins and with the plugin's sources. Returns as `missing` what to do where
 * there is no Python 3.13 and none can be installed. Ends the process when pip fails.
 */
export const installLocalstack = () => {
  const pinsStamp = join(environment, '.sluice-requirements-hash');
  const pluginStamp = join(environment, '.sluice-plugin-hash');
  if (!isStamped(pinsStamp, hashOf(requirements))) {
    const { python, missing } = obtainPython();
    if (missing !== undefined) return { missing };
    console.error(`Installing LocalStack into .localstack (${python}), 500 MB …`);
    makeEnvironment(python, environment);
    pipInstall(environment, ['--requirement', requirements]);
    stampWith(pinsStamp, hashOf(requirements));
  }
  const sources = hashOf(...pluginSources());
  if (!isStamped(pluginStamp, sources)) {
    installPlugin();
    stampWith(pluginStamp, sources);
  }
  return {};
};
