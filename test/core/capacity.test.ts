import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deal, evenCaps, heldAtMost, shardCount } from '#core/capacity.ts';
import { bounds } from '#core/limits.ts';
import { anyChange, dealOut, Registry } from '#test/support/core/registry-model.ts';

describe('shards of a capacity', () => {
  it.each([
    [1, 1],
    [32, 1],
    [33, 2],
    [64, 2],
    [65, 3],
    [100, 4],
    [1_000, 32],
    [100_000, 3_125],
  ])('%i lies in %i', (capacity, shards) => {
    expect(shardCount(capacity)).toBe(shards);
  });

  it('even caps sum to the capacity, differ by one at most, stay within a write unit, and leave surplus shards at 0', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: bounds.capacityMax }), fc.nat({ max: 5 }), (capacity, surplus) => {
        const used = shardCount(capacity);
        const caps = evenCaps(capacity, used + surplus);
        expect(caps.reduce((a, b) => a + b)).toBe(capacity);
        const dealt = caps.slice(0, used);
        expect(Math.max(...dealt) - Math.min(...dealt)).toBeLessThanOrEqual(1);
        expect(Math.min(...dealt)).toBeGreaterThanOrEqual(1);
        expect(Math.max(...dealt)).toBeLessThanOrEqual(bounds.slotsPerShard);
        expect(caps.slice(used)).toEqual(Array(surplus).fill(0));
      }),
    );
  });

  it('holds at most the larger of members and cap of each', () => {
    expect(
      heldAtMost([
        { members: 5, cap: 3 },
        { members: 0, cap: 4 },
        { members: 2, cap: 2 },
      ]),
    ).toBe(11);
  });
});

describe('deal', () => {
  it('an idle registry gets its even caps', () => {
    expect(
      deal(
        70,
        [0, 0, 0].map((members) => ({ members, cap: 0 })),
      ),
    ).toEqual({ act: 'raise', caps: [24, 23, 23] });
  });

  it('members at the capacity fit, one more does not', () => {
    expect(
      deal(40, [
        { members: 32, cap: 0 },
        { members: 8, cap: 0 },
      ]).act,
    ).toBe('raise');
    expect(
      deal(40, [
        { members: 32, cap: 0 },
        { members: 9, cap: 0 },
      ]),
    ).toEqual({ act: 'close-all' });
  });

  it('members above their share are made up for by lower caps elsewhere', () => {
    const made = deal(40, [
      { members: 32, cap: 0 },
      { members: 0, cap: 0 },
    ]);
    expect(made).toEqual({ act: 'raise', caps: [20, 8] });
  });

  it('a retired shard keeps its members and gets no cap', () => {
    const made = deal(32, [
      { members: 10, cap: 0 },
      { members: 7, cap: 0 },
    ]);
    expect(made).toEqual({ act: 'raise', caps: [25, 0] });
  });

  it('never lowers a cap that it calls a raise: what still has room may have been filled since', () => {
    fc.assert(
      fc.property(anyChange, ({ capacity, loads }) => {
        const even = evenCaps(capacity, loads.length);
        const lowered = loads.map((s, i) => ({ members: s.members, cap: Math.min(s.cap, even[i] ?? 0) }));
        const made = deal(capacity, lowered);
        if (made.act === 'close-all') return;
        for (const [i, { cap }] of lowered.entries()) expect(made.caps[i]).toBeGreaterThanOrEqual(cap);
      }),
    );
  });
});

describe('G1 a change of capacity under load', () => {
  it('from 96 to 60: what came in between the phases is counted, and nobody comes in at 60', () => {
    const registry = new Registry(
      [0, 0, 4].map((members, i) => ({ members, cap: i === 1 ? 27 : 0 })),
      60,
    );
    const fills = [() => {}, () => {}, () => {}, () => registry.perform({ kind: 'take', shard: 1, times: 27 })];
    dealOut(registry, { capacity: 60, lowering: [0, 1, 2], raising: [0, 1, 2] }, () => fills.shift()?.());
    registry.perform({ kind: 'take', shard: 0, times: 40 });
    expect([registry.total, registry.tooMany]).toEqual([60, 0]);
  });

  it('from 96 to 70 with 77 in flight: nobody comes in, whichever shard a slot is freed on', () => {
    const registry = new Registry(
      [32, 0, 0].map((members) => ({ members, cap: 32 })),
      70,
    );
    const fill = (shard: number) => () => registry.perform({ kind: 'take', shard, times: 23 });
    const fills = [() => {}, () => {}, () => {}, fill(1), fill(2)];
    dealOut(registry, { capacity: 70, lowering: [0, 1, 2], raising: [0, 1, 2] }, () => fills.shift()?.());
    for (const shard of [0, 1, 2]) {
      registry.perform({ kind: 'free', shard, times: 1 });
      registry.perform({ kind: 'take', shard, times: 1 });
    }
    expect(registry.tooMany).toBe(0);
  });

  it('never lets one in at the new capacity once lowering is over, nor has room for more at any moment', () => {
    fc.assert(
      fc.property(anyChange, (change) => {
        const registry = new Registry(change.loads, change.capacity);
        const between = [...change.between];
        const others = () => {
          for (const op of between.shift() ?? []) registry.perform(op);
        };
        dealOut(registry, change, others);
        while (between.length > 0) others();
        expect({ tooMany: registry.tooMany, broken: registry.broken }).toEqual({ tooMany: 0, broken: 0 });
      }),
      { numRuns: 2_000 },
    );
  });

  it('hands the whole capacity out as soon as the load fits', () => {
    fc.assert(
      fc.property(anyChange, ({ capacity, loads }) => {
        const closed = loads.map(({ members }) => ({ members, cap: 0 }));
        const total = closed.reduce((sum, s) => sum + s.members, 0);
        const made = deal(capacity, closed);
        expect(made.act).toBe(total <= capacity ? 'raise' : 'close-all');
        if (made.act === 'raise') {
          const after = closed.map(({ members }, i) => ({ members, cap: made.caps[i] ?? 0 }));
          expect(heldAtMost(after)).toBe(capacity);
        }
      }),
      { numRuns: 500 },
    );
  });
});
