import { describe, expect, test } from 'vitest';
import { shardCount } from '#core/capacity.ts';
import { productionLimits } from '#core/limits.ts';
import { meanOf, meanTaken, quantileOf } from '../../operator/plan/observed.ts';
import { boundedQueue, erlangB, erlangC } from '../../operator/plan/queueing.ts';
import { simulate } from '../../operator/plan/simulate.ts';
import { overSeeds } from './support/seeds.ts';
import { plainLimits, plainWorkload } from './support/workloads.ts';

/** By chance alone a mean lies farther from the truth than this once in about fifteen thousand times. */
const errors = 4;
const seeds = 8;
const run = { jobs: 10_000, warmUpJobs: 1_500 };

/** The formula lies within what chance explains, and chance explains little. */
const expectNear = ({ mean, error }: { mean: number; error: number }, truth: number, withinShare: number): void => {
  expect(Math.abs(mean - truth), `${mean} ± ${error}, expected ${truth}`).toBeLessThan(errors * error);
  expect(errors * error, 'too wide to show anything').toBeLessThan(withinShare * truth);
};

describe('the simulation against M/M/c/K', { timeout: 60_000 }, () => {
  test.for([
    { servers: 1, capacity: 6, used: 0.8 },
    { servers: 5, capacity: 12, used: 0.9 },
    { servers: 20, capacity: 25, used: 1.3 },
    { servers: 20, capacity: 40, used: 1.05 },
  ])('$servers servers, $capacity slots, $used of the servers’ load', ({ servers, capacity, used }) => {
    const workload = plainWorkload({ arrivalPerSecond: (used * servers) / 0.5 });
    const limits = plainLimits({ capacity, consumerConcurrencyMax: servers });
    const truth = boundedQueue(workload.arrivalPerSecond, 0.5, servers, capacity);
    const runs = Array.from({ length: seeds }, (_, i) => simulate(workload, limits, { ...run, seed: i + 1 }));
    const of = (find: (one: (typeof runs)[number]) => number) =>
      overSeeds(seeds, (seed) => {
        const one = runs[seed - 1];
        return one === undefined ? Number.NaN : find(one);
      });
    expectNear(
      of(({ refused, arrivals }) => refused / arrivals),
      truth.refused,
      0.3,
    );
    expectNear(
      of(({ waits }) => meanOf(waits) / 1000),
      truth.meanWaitSeconds,
      0.15,
    );
    expectNear(
      of(({ batchSeconds, seconds }) => batchSeconds / seconds / servers),
      truth.utilisation,
      0.03,
    );
  });

  test('without room to wait it is Erlang B, and nobody waits', () => {
    const workload = plainWorkload({ arrivalPerSecond: 30 });
    const limits = plainLimits({ capacity: 16, consumerConcurrencyMax: 16 });
    const refused = overSeeds(seeds, (seed) => {
      const { refused: n, arrivals, waits } = simulate(workload, limits, { ...run, seed });
      expect(quantileOf(waits, 1)).toBe(0);
      return n / arrivals;
    });
    expectNear(refused, erlangB(16, 15), 0.2);
  });

  test('with endless room it is Erlang C: who waits, and how long the slowest hundredth', () => {
    const workload = plainWorkload({ arrivalPerSecond: 18 });
    const limits = plainLimits({ capacity: 10_000, consumerConcurrencyMax: 12 });
    const late = erlangC(12, 9);
    const p99 = (0.5 / (12 - 9)) * Math.log(late / 0.01);
    const runs = Array.from({ length: seeds }, (_, i) => simulate(workload, limits, { ...run, seed: i + 1 }));
    const waited = overSeeds(seeds, (seed) => {
      const { waits } = runs[seed - 1] ?? { waits: new Float64Array() };
      // Times are whole milliseconds.
      return waits.filter((ms) => ms > 0).length / waits.length;
    });
    expectNear(waited, late, 0.2);
    expectNear(
      overSeeds(seeds, (seed) => quantileOf(runs[seed - 1]?.waits ?? new Float64Array(), 0.99) / 1000),
      p99,
      0.3,
    );
  });

  test.for([
    { distribution: 'deterministic', spread: 0 },
    { distribution: 'lognormal', spread: 1.5 },
  ] as const)(
    'one server and $distribution service wait as Pollaczek and Khinchine say',
    ({ distribution, spread }) => {
      const workload = plainWorkload({ arrivalPerSecond: 1.2, distribution, spread });
      const limits = plainLimits({ capacity: 100_000, consumerConcurrencyMax: 1 });
      const truth = (0.6 * 0.5 * (1 + spread ** 2)) / (2 * (1 - 0.6));
      expectNear(
        overSeeds(seeds, (seed) => meanOf(simulate(workload, limits, { ...run, seed }).waits) / 1000),
        truth,
        0.3,
      );
    },
  );
});

describe('the simulation with the policies of core', { timeout: 30_000 }, () => {
  test('retries as often, and lets as many die, as the attempts allow', () => {
    const workload = plainWorkload({ failShare: 0.3 });
    const limits = plainLimits({ capacity: 10_000, consumerConcurrencyMax: 100 });
    const runs = Array.from({ length: seeds }, (_, i) => simulate(workload, limits, { ...run, seed: i + 1 }));
    const attempts = overSeeds(seeds, (seed) => (runs[seed - 1]?.starts ?? 0) / run.jobs);
    expectNear(attempts, 1 + 0.3 + 0.3 ** 2, 0.02);
    expectNear(
      overSeeds(seeds, (seed) => (runs[seed - 1]?.dead ?? 0) / run.jobs),
      0.3 ** 3,
      0.1,
    );
  });

  test('holds slots over the API’s time, the attempts and the waits between them, as Little’s law says', () => {
    const workload = plainWorkload({
      failShare: 0.3,
      apiSeconds: 0.2,
      overheadSeconds: 0.1,
      distribution: 'deterministic',
    });
    const limits = plainLimits({ capacity: 10_000, consumerConcurrencyMax: 1_000, waitJitterRatio: 0 });
    const stay = 0.2 + (1 + 0.3 + 0.09) * (0.5 + 0.1) + 0.3 * 1 + 0.09 * 2;
    expectNear(
      overSeeds(seeds, (seed) => meanTaken(simulate(workload, limits, { ...run, seed }))),
      10 * stay,
      0.05,
    );
  });

  test('cuts off what lasts longer than a job may', () => {
    const limits = plainLimits({ capacity: 1_000, consumerConcurrencyMax: 100, jobTimeoutSeconds: 0.4 });
    const { starts, succeeded, dead } = simulate(plainWorkload({ distribution: 'deterministic' }), limits, {
      ...run,
      seed: 1,
    });
    expect({ succeeded, late: dead > 0.9 * run.jobs }).toEqual({ succeeded: 0, late: true });
    expect(starts / dead).toBeCloseTo(limits.attemptsMax, 1);
  });

  test('a batch frees its slots when its slowest job has ended', () => {
    const workload = plainWorkload({ arrivalPerSecond: 1_000, distribution: 'deterministic' });
    const limits = plainLimits({ capacity: 64, consumerConcurrencyMax: 4, batchSize: 10 });
    const { batches, starts, batchSeconds, frees } = simulate(workload, limits, { ...run, seed: 1 });
    expect(starts / batches).toBeGreaterThan(8);
    expect(batchSeconds / batches).toBeCloseTo(0.5, 6);
    // Two shards, so one write or two.
    expect(frees / batches).toBeGreaterThan(1);
    expect(frees / batches).toBeLessThanOrEqual(shardCount(64));
  });

  test('a view that is remembered for a second refuses more than the slots do, which no formula knows of', () => {
    const workload = plainWorkload({ arrivalPerSecond: 44, apiSeconds: 0.05 });
    const limits = plainLimits({ capacity: 32, consumerConcurrencyMax: 24 });
    const refusedBy = (viewMaxAgeSeconds: number) =>
      simulate(workload, { ...limits, viewMaxAgeSeconds }, { seed: 1, jobs: 20_000, warmUpJobs: 2_000 }).refused /
      20_000;
    expect(refusedBy(1)).toBeGreaterThan(refusedBy(0));
    expect(refusedBy(1)).toBeLessThan(refusedBy(0) + 0.15);
  });

  test('never has more in flight than the capacity', () => {
    const workload = plainWorkload({ arrivalPerSecond: 400, bulk: 25, apiSeconds: 0.05 });
    const limits = { ...productionLimits, capacity: 300, consumerConcurrencyMax: 10 };
    const { takenSeconds, refused } = simulate(workload, limits, { ...run, seed: 1 });
    expect(takenSeconds.length - 1).toBeLessThanOrEqual(300);
    expect(refused).toBeGreaterThan(0);
  });

  test('the same seed gives the same answer, another seed another', () => {
    const workload = plainWorkload({ failShare: 0.1, apiSeconds: 0.05 });
    const limits = { ...productionLimits, capacity: 50, consumerConcurrencyMax: 3 };
    const once = (seed: number) => simulate(workload, limits, { ...run, seed });
    expect(once(7)).toEqual(once(7));
    expect(once(7)).not.toEqual(once(8));
  });

  test('a run in which more slots are taken than it may is given up', () => {
    const workload = plainWorkload({ arrivalPerSecond: 100 });
    const limits = plainLimits({ capacity: 10_000, consumerConcurrencyMax: 2 });
    expect(simulate(workload, limits, { ...run, seed: 1, takenMax: 500 }).overflowed).toBe(true);
  });
});
