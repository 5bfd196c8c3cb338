import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import type { Template } from '../../deploy/assembly.ts';
import { KeptAssemblies } from '../../deploy/kept.ts';

const root = mkdtempSync(`${tmpdir()}/sluice-kept-`);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const templateOf = (release: string): Template => ({ Resources: { Release: { Type: release } } });

const assemblyOf = (release: string): string => {
  const directory = `${root}/made/${release}`;
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${directory}/manifest.json`, '{}');
  writeFileSync(`${directory}/sluice.template.json`, JSON.stringify(templateOf(release)));
  return directory;
};

const sdk = { region: 'eu-west-1', credentials: () => Promise.reject(new Error('not asked for')) };

const keptIn = (account: string, ...releases: string[]): KeptAssemblies => {
  const kept = new KeptAssemblies({ account, region: 'eu-west-1', sdk }, 'sluice', root);
  for (const [i, release] of releases.entries()) kept.keep(assemblyOf(release), 1_000 + i);
  return kept;
};

const backFrom = (kept: KeptAssemblies, deployed: string): string | undefined => {
  const directory = kept.before(templateOf(deployed));
  if (directory === undefined) return undefined;
  return JSON.parse(readFileSync(`${directory}/sluice.template.json`, 'utf8')).Resources.Release.Type;
};

describe('what a rollback deploys', () => {
  test('is what was deployed before', () => {
    expect(backFrom(keptIn('1', 'a', 'b', 'c'), 'c')).toBe('b');
    expect(backFrom(keptIn('1'), 'b')).toBe('a');
  });

  test('is the last one that came through, if what is deployed did not', () => {
    expect(backFrom(keptIn('2', 'a', 'b'), 'broken')).toBe('b');
  });

  test('is nothing where nothing else was kept', () => {
    expect(backFrom(keptIn('3'), 'a')).toBeUndefined();
    expect(backFrom(keptIn('3', 'a'), 'a')).toBeUndefined();
  });

  test('is of the same account and stack', () => {
    keptIn('4', 'a', 'b');
    expect(backFrom(keptIn('5', 'c'), 'c')).toBeUndefined();
  });

  test('deployed again it keeps its place, so that the way back goes on', () => {
    expect(backFrom(keptIn('6', 'a', 'b', 'c', 'b'), 'b')).toBe('a');
  });

  test('is of the same emulator, of which every one has the same account', () => {
    const at = (port: number) => {
      const place = {
        account: '000000000000',
        region: 'us-east-1',
        sdk: { ...sdk, endpoint: `http://127.0.0.1:${port}` },
      };
      return new KeptAssemblies(place, 'sluice', root);
    };
    at(4566).keep(assemblyOf('a'), 1);
    expect(backFrom(at(4566), 'b')).toBe('a');
    expect(backFrom(at(4567), 'b')).toBeUndefined();
  });

  test('is found by a template with more than ASCII in it, which CloudFormation gives back with question marks', () => {
    expect(backFrom(keptIn('8', 'a', 'größer 🚿'), 'gr??er ?')).toBe('a');
  });

  test.each(['manifest.json', 'sluice.template.json'])(
    'is none of which only a part is left: without %s',
    (missing) => {
      const account = `9-${missing}`;
      const kept = keptIn(account, 'a', 'b', 'c');
      rmSync(`${root}/deployed/${account}/eu-west-1/sluice/1001/${missing}`);
      expect(backFrom(kept, 'c')).toBe('a');
      kept.keep(assemblyOf('d'), 2_000);
      expect(backFrom(kept, 'd')).toBe('c');
    },
  );

  test('is among the last five', () => {
    const kept = keptIn('7', ...'abcdefg');
    expect(backFrom(kept, 'd')).toBe('c');
    expect(backFrom(kept, 'c')).toBeUndefined();
  });
});
