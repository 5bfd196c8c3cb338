/** The mean of what independent seeds found, and how far it may lie from the truth by chance. */
export const overSeeds = (seeds: number, find: (seed: number) => number): { mean: number; error: number } => {
  const found = Array.from({ length: seeds }, (_, i) => find(i + 1));
  const mean = found.reduce((sum, value) => sum + value, 0) / seeds;
  const variance = found.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (seeds - 1);
  return { mean, error: Math.sqrt(variance / seeds) };
};
