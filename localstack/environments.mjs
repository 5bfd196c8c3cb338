// Python environments of this project, each in a place of its own. Plain JavaScript for Node 20 and later without any
// package, since it runs before there are any. A stamp is written last, so an interrupted installation is done again.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const fail = (message) => {
  console.error(`\n${message}\n`);
  process.exit(1);
};

export const hashOf = (...files) => {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(file));
  return hash.digest('hex');
};

/** The stamp says which version of its sources was installed completely. */
export const isStamped = (stamp, hash) => existsSync(stamp) && readFileSync(stamp, 'utf8') === hash;

export const stampWith = (stamp, hash) => writeFileSync(stamp, hash);

/** The version of an interpreter as [major, minor], or undefined if it cannot be run (a shim without a version, say). */
export const versionOf = (python) => {
  const { status, stdout } = spawnSync(python, ['-c', 'import sys; print(*sys.version_info[:2])'], {
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim().split(' ').map(Number) : undefined;
};

/** An empty environment in place of whatever was there. */
export const makeEnvironment = (python, environment) => {
  rmSync(environment, { recursive: true, force: true });
  const venv = spawnSync(python, ['-m', 'venv', environment], { encoding: 'utf8' });
  if (venv.status === 0) return;
  rmSync(environment, { recursive: true, force: true });
  const output = `${venv.stdout}${venv.stderr}`.trim();
  // Debian and Ubuntu ship Python without the part of venv that brings pip.
  if (/ensurepip|No module named '?venv/.test(output)) {
    fail(
      `${python} comes without its venv module. On Debian or Ubuntu: apt-get install python3-venv\n` +
        `Or name another interpreter: PYTHON=/path/to/python3 npm start`,
    );
  }
  fail(`"${python} -m venv" failed:\n${output}`);
};

export const pipInstall = (environment, args) => {
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...args];
  const { status } = spawnSync(join(environment, 'bin', 'python'), pip, { stdio: 'inherit' });
  if (status === 0) return;
  fail(
    'pip could not install the emulator; its own message stands above. It needs the Python package index (or a ' +
      'mirror named in pip.conf or PIP_INDEX_URL) once. Run the command again when that works.',
  );
};
