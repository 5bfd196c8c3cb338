/**
 * Numbers that follow from a seed, each in [0, 1), so that a run can be repeated. The generator is mulberry32: small,
 * fast, and even enough to simulate with; it is no source of secrets.
 */
export const seeded = (seed: number): (() => number) => {
  const word = seededWords(seed);
  return () => word() / 2 ** 32;
};

/** The same as whole numbers of 32 bits. */
export const seededWords = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  };
};
