import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, onTestFinished, test } from 'vitest';
import { assemblyFor } from '../../deploy/assembly.ts';
import { checksumsOf } from '../../deploy/checksums.ts';
import type { Options } from '../../deploy/options.ts';

const packed = (): string => {
  const directory = mkdtempSync(`${tmpdir()}/sluice-sums-`);
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(`${directory}/assembly/asset.1`, { recursive: true });
  writeFileSync(`${directory}/assembly/asset.1/index.mjs`, 'export {}');
  writeFileSync(`${directory}/SHA256SUMS`, checksumsOf(directory));
  return directory;
};
const taken = (app: string): Promise<string> => {
  const options: Options = { stage: 'production', stackName: 'sluice', app, yes: false, rollback: false };
  return assemblyFor(options);
};

test('a package that is as it was packed is taken', async () => {
  const directory = packed();
  expect(await taken(directory)).toBe(`${directory}/assembly`);
});

test.each<[string, (directory: string) => void]>([
  ['changed', (directory) => writeFileSync(`${directory}/assembly/asset.1/index.mjs`, 'export default 1')],
  ['added', (directory) => writeFileSync(`${directory}/assembly/asset.1/more.mjs`, '')],
  ['missing', (directory) => rmSync(`${directory}/assembly/asset.1/index.mjs`)],
  ['a link to a file', (directory) => symlinkSync('/etc/hostname', `${directory}/assembly/asset.1/link`)],
  ['a link to a directory', (directory) => symlinkSync('..', `${directory}/assembly/asset.1/node_modules`)],
])('a package in which something is %s is refused', async (_what, change) => {
  const directory = packed();
  change(directory);
  await expect(taken(directory)).rejects.toMatchObject({ name: 'Failure' });
});
