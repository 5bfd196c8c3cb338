import { describe, expect, test } from 'vitest';
import { shardCount } from '#core/capacity.ts';
import { bounds, productionLimits } from '#core/limits.ts';
import { planFor, type Question } from '../../operator/plan/plan.ts';
import { quotas, quotasReadOn } from '../../operator/plan/quotas.ts';
import { plainWorkload } from './support/workloads.ts';

const question = (over: Partial<Question['workload']> = {}, goals: Partial<Question['goals']> = {}): Question => ({
  workload: plainWorkload({
    arrivalPerSecond: 200,
    serviceSeconds: 0.3,
    overheadSeconds: 0.03,
    apiSeconds: 0.05,
    ...over,
  }),
  limits: productionLimits,
  goals: { waitP99Seconds: 1, refusedShare: 0.001, stallSeconds: 0, spare: 0.5, ...goals },
  handlerWrites: 1,
  tenants: 1,
});
const effort = { seed: 1, jobs: 20_000 };
const quota = (plan: ReturnType<typeof planFor>, what: string) => {
  const found = plan.quotas.find((one) => one.what.includes(what));
  if (found === undefined) throw new RangeError(`no quota is called ${what}`);
  return found;
};

describe('the recommended settings', { timeout: 30_000 }, () => {
  test('reach the goals, and less of each does not', () => {
    const goals = { waitP99Seconds: 0.2, refusedShare: 0.002, spare: 0 };
    const { settings, expected } = planFor(question({ failShare: 0.02 }, goals), effort);
    expect(expected.waitP99Seconds).toBeLessThanOrEqual(0.2);
    expect(expected.refusedShare).toBeLessThanOrEqual(0.002);
    const { capacity, consumerConcurrencyMax } = settings;
    const fewer = { ...goals, concurrency: Math.floor(consumerConcurrencyMax * 0.8), capacity: 5_000 };
    expect(planFor(question({ failShare: 0.02 }, fewer), effort).expected.waitP99Seconds).toBeGreaterThan(0.2);
    const smaller = { ...goals, concurrency: consumerConcurrencyMax, capacity: Math.floor(capacity * 0.7) };
    expect(planFor(question({ failShare: 0.02 }, smaller), effort).expected.refusedShare).toBeGreaterThan(0.002);
  });

  test('hold what comes while the consumer stands still, and can work it off', () => {
    const without = planFor(question(), effort);
    const { settings, expected } = planFor(question({}, { stallSeconds: 10 }), effort);
    expect(settings.capacity).toBeGreaterThanOrEqual(200 * 10);
    expect(settings.capacity).toBeGreaterThan(without.settings.capacity);
    expect(settings.shards).toBe(shardCount(settings.capacity));
    expect(expected.timesTheLoad).toBeGreaterThanOrEqual(1.5);
    expect(expected.timesTheLoad).toBeLessThan(1.7);
  });

  test('have shards enough for jobs so short that few are in flight', () => {
    const plan = planFor(
      question({ arrivalPerSecond: 3_000, serviceSeconds: 0.001, overheadSeconds: 0, apiSeconds: 0.001 }),
      effort,
    );
    expect(quota(plan, 'a shard').use).toBeLessThanOrEqual(quotas.partitionWrites.limit * 0.55);
  });

  test('of a system that was simulated at a part of its size err to the safe side', () => {
    const load = question({ arrivalPerSecond: 1_000 }, { refusedShare: 0.01 });
    const whole = planFor(load, { seed: 1, jobs: 64_000 });
    const scaled = planFor(load, { seed: 1, jobs: 6_400 });
    expect([whole.simulated.scale, scaled.simulated.scale]).toEqual([1, 10]);
    expect(scaled.settings.consumerConcurrencyMax).toBeGreaterThanOrEqual(whole.settings.consumerConcurrencyMax);
    expect(scaled.settings.capacity).toBeGreaterThanOrEqual(whole.settings.capacity);
    // And not without measure.
    expect(scaled.settings.consumerConcurrencyMax).toBeLessThan(2 * whole.settings.consumerConcurrencyMax);
    // What it costs hardly depends on it.
    expect(scaled.bill.dollarsPerMonth / whole.bill.dollarsPerMonth).toBeCloseTo(1, 1);
  });

  test('that are given are taken as they are, and what they refuse is told', () => {
    const { settings, expected } = planFor(
      question({ serviceSeconds: 2 }, { capacity: 1_000, concurrency: 20 }),
      effort,
    );
    expect(settings).toMatchObject({ capacity: 1_000, consumerConcurrencyMax: 20, shards: shardCount(1_000) });
    // Full batches of ten last as long as their slowest job: 2 s × (1 + 1/2 + … + 1/10).
    const rate = (20 * 10) / (2 * 2.929 + 0.03);
    expect(expected.timesTheLoad).toBeCloseTo(rate / 200, 1);
    expect(expected.refusedShare).toBeCloseTo(1 - rate / 200, 1);
  });

  test('that are given hold at a part of their size too', () => {
    const asked = question({ serviceSeconds: 2 }, { capacity: 33, concurrency: 50 });
    // Without a memory of "full" every slot is taken nearly all the time.
    const limits = { ...productionLimits, viewMaxAgeSeconds: 0 };
    const { expected, simulated } = planFor({ ...asked, limits }, { seed: 1, jobs: 2_000 });
    expect(simulated.scale).toBe(6);
    expect(expected.inFlightMean).toBeLessThanOrEqual(33);
  });

  test('that do not keep up are refused in words', () => {
    expect(() => planFor(question({}, { concurrency: 2 }), effort)).toThrow(/does not keep up/);
    expect(() => planFor(question({ arrivalPerSecond: 100_000 }, { concurrency: 50 }), effort)).toThrow(/--jobs/);
  });

  test('follow from the seed', () => {
    expect(planFor(question(), effort)).toEqual(planFor(question(), effort));
    expect(planFor(question(), effort)).not.toEqual(planFor(question(), { ...effort, seed: 2 }));
  });
});

describe('what it asks of AWS', { timeout: 30_000 }, () => {
  test('is a job’s counted calls and units, times the jobs', () => {
    const { demand, expected } = planFor(question({ arrivalPerSecond: 100 }), effort);
    const { accepted, writes, batches } = demand;
    expect(writes.tenantIndex).toBe(accepted);
    // The slot, the record and the start, and two for the end in a transaction; then the slots that a batch frees.
    const frees = writes.shards - accepted;
    expect(writes.jobs / accepted).toBeCloseTo(5 + frees / accepted, 1);
    expect(frees).toBeLessThanOrEqual(1.01 * accepted);
    expect(frees).toBeGreaterThanOrEqual(batches * 0.99);
    expect(writes.handlers / accepted).toBeCloseTo(2, 1);
    expect(batches * expected.jobsPerBatch).toBeCloseTo(accepted, -1);
  });

  test('shrinks when jobs come in bulk', () => {
    const [single, bulk] = [1, 25].map((size) => planFor(question({ bulk: size }), effort));
    const calls = (25 * (bulk?.demand.apiCalls ?? 0)) / (single?.demand.apiCalls ?? 0);
    // 800 calls of a Poisson process: one in thirty more or less.
    expect(calls).toBeGreaterThan(0.87);
    expect(calls).toBeLessThan(1.13);
    expect(bulk?.bill.dollarsPerMillionJobs).toBeLessThan(0.8 * (single?.bill.dollarsPerMillionJobs ?? 0));
  });

  test('breaks first where all jobs of one caller share four keys of an index', () => {
    const plan = planFor(question({ serviceSeconds: 0.05 }), effort);
    expect(plan.quotas[0]?.what).toContain('index tenant');
    expect(plan.quotas[0]?.breaksAtPerSecond).toBeCloseTo(quotas.partitionWrites.limit * bounds.tenantBuckets, -3);
    const many = planFor({ ...question({ serviceSeconds: 0.05 }), tenants: 100 }, effort);
    expect(many.quotas[0]?.what).not.toContain('index tenant');
    expect(quota(many, 'index recent').breaksAtPerSecond).toBeCloseTo(1_000 * bounds.recentBuckets, -3);
  });

  test('breaks first at Lambda’s concurrency when jobs are long', () => {
    const plan = planFor(question({ arrivalPerSecond: 100, serviceSeconds: 5 }), effort);
    expect(plan.quotas[0]?.what).toContain('Lambda: concurrency');
  });

  test('is told for 100,000 jobs a second too, in bounded time, with what one stack cannot bear', () => {
    const plan = planFor(question({ arrivalPerSecond: 100_000, serviceSeconds: 0.05, bulk: 25 }), effort);
    expect(plan.simulated.scale).toBe(300);
    expect(plan.demand.accepted).toBeGreaterThan(95_000);
    const beyond = plan.quotas.filter(({ use, limit }) => use > limit).map(({ what }) => what);
    expect(beyond).toEqual(expect.arrayContaining(['DynamoDB: writes to jobs', 'DynamoDB: a bucket of index recent']));
    expect(plan.quotas.map(({ breaksAtPerSecond }) => breaksAtPerSecond)).toEqual(
      plan.quotas.map(({ breaksAtPerSecond }) => breaksAtPerSecond).toSorted((a, b) => a - b),
    );
  });

  test('is held against quotas that each name their page, and the day on which it was read', () => {
    for (const { source, limit } of Object.values(quotas)) {
      expect(source).toMatch(/^https:\/\/docs\.aws\.amazon\.com\/.+\.html$/);
      expect(limit).toBeGreaterThan(0);
    }
    expect(Date.parse(quotasReadOn)).toBeGreaterThan(Date.parse('2026-01-01'));
  });
});
