import { stripVTControlCharacters } from 'node:util';
import type { Io } from '../io.ts';
import { plain } from './plain.ts';

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => unknown;
  /** Colours what is already plain. */
  readonly paint?: (text: string, row: Row) => string;
  /** May be cut when the terminal is too narrow: those with the lowest number first. */
  readonly shrinks?: number;
}

const gap = '  ';
const shrunkMin = 8;
const widthOf = (text: string): number => [...stripVTControlCharacters(text)].length;
const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));
const cut = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${[...text].slice(0, width - 1).join('')}…`;

/** Rows under titles. Columns without a single value are left out; where it is too wide, those that may shrink do. */
export const table = <Row>(io: Io, rows: readonly Row[], columns: readonly Column<Row>[]): readonly string[] => {
  const filled = columns
    .map((column) => ({ ...column, texts: rows.map((row) => plain(column.cell(row))) }))
    .filter(({ texts }) => texts.some((text) => text !== ''));
  const widths = filled.map(({ title, texts }) => Math.max(widthOf(title), ...texts.map(widthOf)));
  let excess = widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - io.columns();
  const first = (column: Column<Row>) => column.shrinks ?? Number.POSITIVE_INFINITY;
  for (const column of filled.filter(({ shrinks }) => shrinks !== undefined).toSorted((a, b) => first(a) - first(b))) {
    const i = filled.indexOf(column);
    const width = widths[i] ?? 0;
    const less = Math.max(0, Math.min(excess, width - shrunkMin));
    widths[i] = width - less;
    excess -= less;
  }
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => pad(cell, widths[i] ?? 0))
      .join(gap)
      .trimEnd();
  return [
    io.paint('bold', line(filled.map(({ title }, i) => cut(title, widths[i] ?? 0)))),
    ...rows.map((row, at) =>
      line(filled.map(({ texts, paint = (text) => text }, i) => paint(cut(texts[at] ?? '', widths[i] ?? 0), row))),
    ),
  ];
};

/** Names with their values below one another; what has no value is left out. */
export const fields = (io: Io, entries: readonly (readonly [string, string | undefined])[]): readonly string[] => {
  const present = entries.filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const width = Math.max(0, ...present.map(([name]) => name.length));
  return present.map(([name, value]) => `${io.paint('dim', name.padEnd(width))}${gap}${value}`);
};
