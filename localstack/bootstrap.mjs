// Brings a fresh clone to where `npm start` and `npm test` work: the Node packages and the emulator's own Python
// environment. Plain JavaScript for Node 20 and later without any package, since it runs before there are any.
// When all is there it only compares two hashes.

import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fail, hashOf, isStamped, makeEnvironment, pipInstall, stampWith, versionOf } from './environments.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const lockFile = join(root, 'package-lock.json');
const requirementsFile = join(root, 'localstack', 'requirements.txt');
const environment = join(root, '.emulator');
const pythonMinimum = [3, 10];

/** True if npm's own record of what it installed has every package of the lockfile, as after `npm install NAME`. */
const isInstalled = () => {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(lockFile)).every(
    ([path, wanted]) => path === '' || wanted.optional || installed[path]?.version === wanted.version,
  );
};

const installNodePackages = () => {
  const stamp = join(root, 'node_modules', '.sluice-lock-hash');
  if (isStamped(stamp, hashOf(lockFile))) return;
  if (isInstalled()) {
    stampWith(stamp, hashOf(lockFile));
    return;
  }
  console.log('Installing the Node packages (npm ci) …');
  // Under `npm run` this variable names the very npm that is running; else the one on the PATH serves.
  const npm = process.env.npm_execpath;
  const [command, ...args] = npm?.endsWith('.js') ? [process.execPath, npm, 'ci'] : ['npm', 'ci'];
  // Quiet about engines: what wants a newer Node than the machine's runs with the one that is installed here.
  const { status } = spawnSync(command, [...args, '--loglevel=error'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) fail('npm ci failed; its own message stands above. Mend that and run the command again.');
  stampWith(stamp, hashOf(lockFile));
};

const isRecentEnough = ([major, minor]) =>
  major > pythonMinimum[0] || (major === pythonMinimum[0] && minor >= pythonMinimum[1]);

const findPython = () => {
  const minimum = pythonMinimum.join('.');
  const named = process.env.PYTHON;
  const candidates = named ? [named] : ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
  const tooOld = [];
  for (const python of candidates) {
    const version = versionOf(python);
    if (version === undefined) continue;
    if (isRecentEnough(version)) return python;
    tooOld.push(`${python} is ${version.join('.')}`);
  }
  const cure = `Install Python ${minimum} or later, or name one: PYTHON=/path/to/python3 npm start`;
  if (tooOld.length > 0) fail(`The local emulator needs Python ${minimum} or later, but ${tooOld.join(', ')}. ${cure}`);
  if (named) fail(`The variable PYTHON names "${named}", which cannot be run. ${cure}`);
  return fail(`The local emulator needs Python, and no python3 was found. ${cure}`);
};

const installEmulator = () => {
  const stamp = join(environment, '.sluice-requirements-hash');
  if (isStamped(stamp, hashOf(requirementsFile))) return;
  const python = findPython();
  console.log(`Installing the emulator into .emulator (${python}) …`);
  makeEnvironment(python, environment);
  pipInstall(environment, ['--requirement', requirementsFile]);
  stampWith(stamp, hashOf(requirementsFile));
};

installNodePackages();
// What only checks, synthesises or deploys needs no Python.
if (!process.argv.includes('--node-only')) installEmulator();
