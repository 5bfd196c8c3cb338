import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { projectRoot } from '../../localstack/places.ts';

const page = readFileSync(`${projectRoot}/SECURITY.md`, 'utf8');
const rows = page.split('\n').filter((line) => /^\| (?!threat |-)/.test(line));

it('SECURITY.md names for every threat who, which control, and a test that is there', () => {
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    const cells = row.split('|').slice(1, -1);
    expect({ row, cells: cells.filter((cell) => cell.trim() !== '').length }).toEqual({ row, cells: 4 });
    const tests = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, path]) => path);
    expect({ row, tests: tests.length > 0 }).toEqual({ row, tests: true });
  }
});

const named = [...new Set([...page.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`/g)].map(([, path]) => path ?? ''))];

it('and every file that it names exists', () => {
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(`${projectRoot}/${file}`))).toEqual([]);
});

it('and every test that it names is one that is run', () => {
  const tests = named.filter((file) => file.startsWith('test/'));
  expect(tests.length).toBeGreaterThan(40);
  expect(tests.filter((file) => !file.endsWith('.test.ts'))).toEqual([]);
});
