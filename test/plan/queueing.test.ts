import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundedQueue, erlangB, erlangC, serversFor } from '../../operator/plan/queueing.ts';

describe('the formulas', () => {
  test('of Erlang, against printed tables', () => {
    // Two per cent are blocked: 10 servers bear 5.084 Erlangs, 100 bear 87.97.
    expect(erlangB(10, 5.084)).toBeCloseTo(0.02, 4);
    expect(erlangB(100, 87.97)).toBeCloseTo(0.02, 4);
    // One server makes every job wait that finds it busy.
    expect(erlangC(1, 0.7)).toBeCloseTo(0.7, 12);
    // Two servers: 2ρ² / (1 + ρ).
    expect(erlangC(2, 1.2)).toBeCloseTo((2 * 0.6 ** 2) / 1.6, 12);
    expect(erlangC(3, 3)).toBe(1);
  });

  test('without room to wait the bounded queue is Erlang B, with endless room Erlang C', () => {
    expect(boundedQueue(9, 1, 12, 12).refused).toBeCloseTo(erlangB(12, 9), 12);
    expect(boundedQueue(9, 1, 12, 12).meanWaitSeconds).toBe(0);
    const endless = boundedQueue(9, 1, 12, 2_000);
    expect(endless.refused).toBeLessThan(1e-12);
    expect(endless.meanWaitSeconds).toBeCloseTo(erlangC(12, 9) / (12 - 9), 10);
    expect(endless.utilisation).toBeCloseTo(0.75, 10);
  });

  test('bear large systems', () => {
    const { refused, utilisation } = boundedQueue(100_000, 0.9, 95_000, 100_000);
    expect(refused).toBeGreaterThanOrEqual(0);
    expect(utilisation).toBeCloseTo(90_000 / 95_000, 4);
    expect(erlangB(95_000, 90_000)).toBeLessThan(1e-9);
  });

  test('the servers for a wait are the least', () => {
    const late = (servers: number) => erlangC(servers, 60) * Math.exp((-(servers - 60) * 0.2) / 0.3);
    const servers = serversFor(60, 0.3, 0.2, 0.01);
    expect(late(servers)).toBeLessThanOrEqual(0.01);
    expect(late(servers - 1)).toBeGreaterThan(0.01);
  });

  test('a system that is k times as large waits and refuses less: why a scaled answer errs to the safe side', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 2, max: 30 }),
        fc.double({ min: 0.05, max: 0.99, noNaN: true }),
        (servers, k, used) => {
          expect(erlangC(k * servers, k * servers * used)).toBeLessThanOrEqual(
            erlangC(servers, servers * used) + 1e-12,
          );
          expect(erlangB(k * servers, k * servers * used)).toBeLessThanOrEqual(
            erlangB(servers, servers * used) + 1e-12,
          );
        },
      ),
    );
  });
});
