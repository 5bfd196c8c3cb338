import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseWaitMs, waitMs, wholeSeconds } from '#core/retry-policy.ts';
import { limits } from '#test/support/core/jobs.ts';

describe('G5 waits', () => {
  it.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [50, 60_000],
    [2_000, 60_000],
  ])('after attempt %i at least %i ms: they double, up to the cap', (attempt, ms) => {
    expect(baseWaitMs(attempt, limits)).toBe(ms);
    expect(waitMs(attempt, limits, 0)).toBe(ms);
  });

  it('start from the base of the stage', () => {
    expect(baseWaitMs(3, { ...limits, waitBaseSeconds: 2.5 })).toBe(10_000);
  });

  it('jitter only adds, and less than its ratio', () => {
    const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        jitter,
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, j, ratio) => {
          const base = baseWaitMs(attempt, limits);
          const wait = waitMs(attempt, { ...limits, waitJitterRatio: ratio }, j);
          expect(wait).toBeGreaterThanOrEqual(base);
          expect(wait).toBeLessThanOrEqual(Math.ceil(base * (1 + ratio)));
          expect(Number.isInteger(wait)).toBe(true);
        },
      ),
    );
    expect(waitMs(1, limits, 0.5)).toBe(1_125);
  });
});

describe('G5 a wait that was asked for', () => {
  it.each([
    ['shorter than the policy, changes nothing', 2, 1, 2_000],
    ['longer, is the wait', 2, 7, 7_000],
    ['beyond the cap, is the wait too: the budget bounds it', 9, 600, 600_000],
    ['in parts of a second, never rounds down', 1, 1.0001, 1_001],
  ])('%s', (_, attempt, asked, ms) => {
    expect(waitMs(attempt, limits, 0, asked)).toBe(ms);
  });

  it('does not shrink the jitter', () => {
    expect(waitMs(3, limits, 0.5, 4.2)).toBe(4_500);
  });
});

describe('a wait as SQS takes it', () => {
  it.each([
    [0, 0],
    [1, 1],
    [999, 1],
    [1_000, 1],
    [1_001, 2],
    [-5, 0],
    [899_001, 900],
    [900_001, 900],
    [1e12, 900],
  ])('%i ms are %i s of at most 900: never shorter than the wait', (ms, seconds) => {
    expect(wholeSeconds(ms, 900)).toBe(seconds);
  });
});
