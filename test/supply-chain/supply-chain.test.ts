import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { localDirectory, projectRoot } from '../../localstack/places.ts';

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: true;
  readonly inBundle?: true;
  readonly hasInstallScript?: true;
}

const json = (path: string) => JSON.parse(readFileSync(`${projectRoot}/${path}`, 'utf8'));
const manifest = json('package.json');
const lock: { packages: Record<string, Locked> } = json('package-lock.json');
const packages = Object.entries(lock.packages).filter(([path]) => path !== '');
const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? '';

/** Licences that ask for nothing but to be named. What is deployed has these only. */
const permissive = ['MIT', 'MIT-0', 'Apache-2.0', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'];
/** Of tools that are run and not shipped: MPL-2.0 binds only who changes the files under it. */
const forTools = [...permissive, 'MPL-2.0'];

/** An SPDX expression is fine if all parts of an AND, or one part of an OR, are. */
const isAllowed = (expression: string, allowed: readonly string[]): boolean =>
  expression
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((option) => option.split(' AND ').every((part) => allowed.includes(part)));

describe('licences', () => {
  it('of everything that is locked are on the list; of what is deployed, on the shorter one', () => {
    const wrong = packages
      .filter(([, { license = 'none', dev }]) => !isAllowed(license, dev ? forTools : permissive))
      .map(([path, { license }]) => `${nameOf(path)}: ${license}`);
    expect(wrong).toEqual([]);
  });

  it('are what the installed packages say of themselves', () => {
    const installed = packages.filter(([path]) => existsSync(`${projectRoot}/${path}/package.json`));
    expect(installed.length).toBeGreaterThan(100);
    const wrong = installed.flatMap(([path, { license }]) => {
      const said = json(`${path}/package.json`).license;
      return said === license ? [] : [`${nameOf(path)}: ${JSON.stringify(said)}, locked as ${license}`];
    });
    expect(wrong).toEqual([]);
  });

  it('an expression is read as it is meant', () => {
    expect(['MIT', 'MIT OR GPL-3.0', '(MIT AND ISC)'].map((text) => isAllowed(text, permissive))).toEqual([
      true,
      true,
      true,
    ]);
    expect(['GPL-3.0', 'MIT AND GPL-3.0', 'none'].map((text) => isAllowed(text, permissive))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('what may run while installing', () => {
  it('are the scripts of the packages on the list, and no others', () => {
    const withScripts = packages.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => nameOf(path));
    expect(withScripts.sort()).toEqual(Object.keys(manifest.allowScripts).sort());
    expect(Object.values(manifest.allowScripts)).toEqual(Object.keys(manifest.allowScripts).map(() => true));
  });
});

describe('the lockfile', () => {
  it('names every package by its content', () => {
    const unproven = packages.filter(([, { integrity, inBundle }]) => !inBundle && !integrity?.startsWith('sha512-'));
    expect(unproven.map(([path]) => path)).toEqual([]);
  });

  it('agrees with package.json, which names exact versions', () => {
    const direct: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies };
    for (const [name, version] of Object.entries(direct)) {
      expect({ name, version }).toEqual({ name, version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
      expect({ name, version: lock.packages[`node_modules/${name}`]?.version }).toEqual({ name, version });
    }
  });
});

it('every direct dependency stands in DESIGN.md with what it is for', () => {
  const [, section = ''] =
    /## 7\. Dependencies\n([\s\S]*?)\n## /.exec(readFileSync(`${projectRoot}/DESIGN.md`, 'utf8')) ?? [];
  const direct = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  expect(direct.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

it.for(['localstack/requirements.txt', 'localstack/host/requirements.txt'])(
  'the emulators and what they need are pinned to the last digit, and no address is named: %s',
  (file) => {
    const lines = readFileSync(`${projectRoot}/${file}`, 'utf8').split('\n');
    const pins = lines.filter((line) => line !== '' && !line.startsWith('#'));
    expect(pins.length).toBeGreaterThan(10);
    expect(pins.filter((pin) => !/^[A-Za-z0-9._-]+==[0-9][0-9A-Za-z.]*(\s*;.*)?$/.test(pin))).toEqual([]);
  },
);

it('npm run sbom writes a bill of materials of all that is locked', { timeout: 60_000 }, () => {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['run', '--silent', 'sbom'], { cwd: projectRoot });
  const bill = JSON.parse(readFileSync(`${localDirectory}/sbom.cdx.json`, 'utf8'));
  expect(bill.bomFormat).toBe('CycloneDX');
  const listed = new Set(bill.components.map(({ name, version }: Record<string, string>) => `${name}@${version}`));
  const missing = packages.map(([path, { version }]) => `${nameOf(path)}@${version}`).filter((one) => !listed.has(one));
  expect(missing).toEqual([]);
});
