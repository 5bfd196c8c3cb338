import { describe, expect, it } from 'vitest';
import { changeCapacity } from '#flow/operate.ts';
import { redrive } from '#flow/redrive.ts';
import { SlotView } from '#flow/slot-view.ts';
import type { DeadFilter } from '#functions/ports.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

/* What seeded histories have found, each as the shortest story that shows it. */

const redriveAll = (system: Deployment, world = system.world()) => {
  const bulk = { limit: 50, ratePerSecond: undefined, dryRun: false, after: undefined, actor: 'operator' };
  const until = system.clock.now() + system.limits.operatorTimeoutSeconds * 1000;
  const which: { filter: DeadFilter } = { filter: {} };
  return redrive(world, new SlotView(world), { which, ...bulk, force: false }, () => until - system.clock.now());
};

/** A payload too large for the record lies under the token that admitted the job. */
const large = { pad: 'x'.repeat(600) };

describe('G7: the payload of a redriven job', () => {
  it('stays when the slot of its first tenure is found left behind', async () => {
    const system = new Deployment(({ id, starts }) => {
      if (starts === 1) throw new Error('the first time');
      return { writes: [effectOf(id)] };
    });
    const id = await system.accept('order-1', large);
    // The worker cannot free the slot, and the redrive comes before the reconciler has.
    system.disturb = (_port, { method }) => (method === 'free' ? { fault: 'request-lost' } : undefined);
    await system.deliver();
    system.disturb = () => undefined;
    expect(await redriveAll(system)).toMatchObject({ moved: 1 });
    expect(system.slots.tokens()).toHaveLength(2);
    await system.clock.advance((system.limits.orphanTokenSeconds + 2) * 1000);
    await system.reconcile();
    expect(system.slots.tokens()).toEqual([(await system.job(id)).slot.token]);
    await system.settle();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', tenure: 1 });
    expect(system.effects(id)).toBe(1);
  });
});

describe('G8: a redrive that stood still after it had taken its slot', () => {
  it('brings no record for a slot that was freed meanwhile', async () => {
    const system = new Deployment(() => {
      throw new Error('never');
    });
    const id = await system.accept('order-1');
    await system.deliver();
    const gate = Promise.withResolvers<void>();
    system.disturb = (_port, { method }) => (method === 'take' ? { after: () => gate.promise } : undefined);
    const redriving = redriveAll(system).catch((error: unknown) => String(error));
    await system.clock.advance((system.limits.orphanTokenSeconds + 2) * 1000);
    system.disturb = () => undefined;
    await system.reconcile();
    expect(system.slots.tokens()).toEqual([]);
    gate.resolve();
    expect(await redriving).toContain('too old');
    expect(await system.job(id)).toMatchObject({ state: 'dead', tenure: 0 });
  });
});

describe('G5: a checkpoint that cannot read the job', () => {
  it('gives the attempt back, and is no permanent error', async () => {
    const system = new Deployment(async ({ id, checkpoint }) => {
      await checkpoint();
      return { writes: [effectOf(id)] };
    });
    const id = await system.accept('order-1');
    system.disturb = (_port, { method }) => (method === 'read' ? { fault: 'request-lost' } : undefined);
    await system.deliver();
    system.disturb = () => undefined;
    expect(await system.job(id)).toMatchObject({ state: 'retrying', attempt: 0, starts: 1 });
    await system.settle();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', attempt: 1, starts: 2 });
    expect(system.effects(id)).toBe(1);
  });
});

describe('G1: a change of capacity that another one overtakes', () => {
  it('answers only when the newer one is in force, even if its caller has ended', async () => {
    const system = new Deployment(() => ({}), { capacity: 33 });
    // More than a shard holds, so that there are some in each.
    for (let n = 0; n < 20; n += 1) await system.accept(`order-${n}`);
    expect(system.slots.shards().map(({ members }) => members.length > 0)).toEqual([true, true]);
    // A stands still before its last phase; B overtakes it, lowers the shards, and ends before it can do more.
    const gate = Promise.withResolvers<void>();
    let writes = 0;
    system.disturb = (_port, { method }) => {
      if (method !== 'writeShard') return undefined;
      writes += 1;
      return writes > 2 ? { before: () => gate.promise } : undefined;
    };
    const a = changeCapacity(system.world(), 3, 'a');
    await system.clock.advance(0);
    let written = 0;
    system.disturb = (_port, { method }) => {
      if (method !== 'writeShard') return undefined;
      written += 1;
      return written > 2 ? { fault: 'request-lost' } : undefined;
    };
    await expect(changeCapacity(system.world(), 4, 'b')).rejects.toThrow();
    system.disturb = () => undefined;
    gate.resolve();
    await a;
    const shards = system.slots.shards();
    const taken = shards.reduce((sum, { members }) => sum + members.length, 0);
    const room = shards.reduce((sum, { cap, members }) => sum + Math.max(0, cap - members.length), 0);
    expect([taken, room]).toEqual([20, 0]);
  });
});
