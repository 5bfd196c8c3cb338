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

it('and every file that it names exists', () => {
  const files = [...page.matchAll(/`((?:test|infra|localstack)\/[^`]*\.ts)`/g)].map(([, path]) => path ?? '');
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(`${projectRoot}/${file}`))).toEqual([]);
});
