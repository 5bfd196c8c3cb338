import { describe, expect, it } from 'vitest';
import { type Limits, localLimits, productionLimits } from '#core/limits.ts';
import { readPage } from '#test/support/docs/pages.ts';

const day = 86_400;

const numberIn = (cell: string): number => {
  const [, digits = '', days] = /^([\d,.]+)( d)?$/.exec(cell.trim()) ?? [];
  return Number(digits.replace(/,(?=\d{3}\b)/g, '') || Number.NaN) * (days === undefined ? 1 : day);
};

/** Each row may hold several limits: `a`, `b` | 1, 2 | the same |. */
const rows = readPage('docs/configuration.md')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .flatMap(([, what = '', production = '', local = '']) => {
    const [names = ''] = what.split(':');
    const limits = [...names.matchAll(/`(\w+)`/g)].flatMap(([, name = '']) => (name in productionLimits ? [name] : []));
    return limits.length === 0 ? [] : [{ limits: limits as (keyof Limits)[], production, local }];
  });

const valuesOf = ({ limits }: { limits: readonly (keyof Limits)[] }, stage: Limits) =>
  limits.map((name) => stage[name]);
const written = (cell: string): readonly number[] => cell.split(', ').map(numberIn);

describe('the limits in docs/configuration.md', () => {
  it('are many', () => {
    expect(rows.length).toBeGreaterThan(15);
  });

  it.each(rows)('$limits: as in core/limits.ts', (row) => {
    expect(written(row.production)).toEqual(valuesOf(row, productionLimits));
    const local = row.local === 'the same' ? row.production : row.local;
    expect(written(local)).toEqual(valuesOf(row, localLimits));
  });
});
