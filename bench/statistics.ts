/** The value below which this part of the sorted values lies. */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/** A figure that was taken once a round. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  median: median(values),
  least: Math.min(...values),
  most: Math.max(...values),
});

/** Round by round, since the two builds of one round met the same machine. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Spread =>
  spreadOf(ours.map((value, i) => value / (theirs[i] ?? Number.NaN)));
