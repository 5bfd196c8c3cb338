import { describe, expect, it } from 'vitest';
import { mutations } from '#test/support/simulation/mutations.ts';
import { run } from '#test/support/simulation/run.ts';
import { explain, shrink } from '#test/support/simulation/shrink.ts';

/*
 * The whole system, seeded: `npm run test:simulation -- --seeds 20000` runs as many histories as wanted, this file a
 * bounded number. What each guarantee means is written in test/support/simulation/watch*.ts.
 */
const seeds = 300;
const perTest = 50;
const reached = new Set<string>();

describe('G1 to G9 hold in seeded histories', () => {
  const starts = Array.from({ length: seeds / perTest }, (_, i) => 1 + i * perTest);
  it.each(starts)(`from seed %i, ${perTest} of them`, { timeout: 60_000 }, async (from) => {
    for (let seed = from; seed < from + perTest; seed += 1) {
      const result = await run(seed);
      for (const name of result.counts.keys()) reached.add(name);
      if (result.violation !== undefined) expect.fail(explain(await shrink(result, {})));
    }
  });
});

describe('the simulation', () => {
  it('reaches what it is meant to test', () => {
    expect([...reached]).toEqual(expect.arrayContaining([...mustBeReached]));
  });

  it('makes the same history of the same seed', async () => {
    for (const seed of [3, 17, 42]) {
      const [first, second] = [await run(seed, { trace: true }), await run(seed, { trace: true })];
      expect(first.trace.length).toBeGreaterThan(20);
      expect(second.trace).toEqual(first.trace);
    }
  });

  it('makes other histories of other seeds', async () => {
    const [first, second] = [await run(3, { trace: true }), await run(17, { trace: true })];
    expect(second.trace).not.toEqual(first.trace);
  });

  it('makes a failing history smaller, and tells it', { timeout: 60_000 }, async () => {
    const mutation = mutations.find(({ name }) => name === 'a slot is freed by counting');
    let failed = await run(1, { mutation });
    for (let seed = 2; failed.violation === undefined; seed += 1) failed = await run(seed, { mutation });
    const shrunk = await shrink(failed, { mutation });
    expect(shrunk.result.violation?.guarantee).toBe(failed.violation.guarantee);
    expect(shrunk.needed.length).toBeLessThan(failed.removable.length);
    expect(explain(shrunk)).toContain(`--seed ${failed.seed}`);
  });
});

const mustBeReached = [
  'JobsAccepted:accepted',
  'JobsRefused:queue-full',
  'JobsRefused:unavailable',
  'JobsRefused:intake-closed',
  'JobsReplayed:running',
  'JobsConflicted:idempotency-conflict',
  'JobsUnsent:send-failed',
  'JobsSucceeded:succeeded',
  'JobsRetried:retryable-error',
  'JobsRetried:timeout',
  'JobsRecovered:worker-lost',
  'JobsDead:permanent-error',
  'JobsDead:attempts-exhausted',
  'JobsDead:wait-budget-exhausted',
  'JobsDead:worker-lost',
  'JobsRedriven:permanent-error',
  'FenceRejected:fenced',
  'PutOffs:running',
  'PutOffs:too-early',
  'PutOffs:no-time-left',
  'MessagesResent:missing',
  'MessagesResent:unsent',
  'MessagesResent:returned',
  'MessagesSwept:superseded',
  'SlotsReclaimed:ended',
  'SlotsReclaimed:orphan',
  'Strays:forged',
  'CapacityChanged:capacity',
] as const;
