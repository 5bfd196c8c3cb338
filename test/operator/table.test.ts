import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Io } from '../../operator/cli/io.ts';
import { bar } from '../../operator/cli/render/bar.ts';
import { table } from '../../operator/cli/render/table.ts';
import { duration, since } from '../../operator/cli/render/time.ts';

const ioOf = (columns: number): Io => ({ columns: () => columns, paint: (_, text) => text }) as Partial<Io> as Io;
const columns = [
  { title: 'ID', cell: (row: readonly string[]) => row[0] },
  { title: 'TYPE', cell: (row: readonly string[]) => row[1], shrinks: 2 },
  { title: 'TENANT', cell: (row: readonly string[]) => row[2], shrinks: 1 },
];

describe('a table', () => {
  test('lines up, and leaves out a column without values', () => {
    const rows = [
      ['1', 'long.type', ''],
      ['22', 'short', ''],
    ];
    expect(table(ioOf(80), rows, columns)).toEqual(['ID  TYPE', '1   long.type', '22  short']);
  });

  test('gives up width in the order that its columns say, and no more than it must', () => {
    const row = ['1', 'a.rather.long.type', 'a-rather-long-tenant'];
    expect(table(ioOf(40), [row], columns)[1]).toBe('1   a.rather.long.type  a-rather-long-t…');
    expect(table(ioOf(30), [row], columns)[1]).toBe('1   a.rather.long.t…  a-rathe…');
  });

  test('fits the terminal as long as what may shrink can', () => {
    const cell = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constant('id'), cell, cell), { minLength: 1 }), (rows) =>
        table(ioOf(30), rows, columns).every((line) => [...line].length <= 30),
      ),
    );
  });

  test('keeps one row a line whatever its cells hold', () => {
    const rows = [['1', 'two\nlines', 'tab\there']];
    expect(table(ioOf(80), rows, columns)).toHaveLength(2);
  });
});

test('a bar is never longer than it is, and full from the whole on', () => {
  expect([bar(0, 10, 4), bar(5, 10, 4), bar(10, 10, 4), bar(30, 10, 4), bar(1, 0, 4)]).toEqual([
    '[----]',
    '[##--]',
    '[####]',
    '[####]',
    '[----]',
  ]);
});

test('times tell how far away they are', () => {
  expect([0, 61, 3_700, 90_000].map((seconds) => duration(seconds * 1000))).toEqual([
    '0 s',
    '1 min 1 s',
    '1 h 1 min',
    '1 d 1 h',
  ]);
  const now = Date.parse('2026-01-31T12:00:00Z');
  expect(since('2026-01-31T11:58:00.123Z', now)).toBe('2026-01-31T11:58:00Z (2 min 0 s ago)');
  expect(since('2026-01-31T12:00:05.000Z', now)).toBe('2026-01-31T12:00:05Z (in 5 s)');
  expect(since('no time', now)).toBe('no time');
});
