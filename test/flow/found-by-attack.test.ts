import { describe, expect, it } from 'vitest';
import { productionLimits } from '#core/limits.ts';
import { makeToken } from '#core/slot.ts';
import { cancelJob } from '#flow/cancel.ts';
import { changeIntake } from '#flow/intake.ts';
import { SlotView } from '#flow/slot-view.ts';
import { takeSlot } from '#flow/take-slot.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

/** Each of these broke a guarantee once. */
const working = () => new Deployment(({ id }) => ({ writes: [effectOf(id)] }));

const losing = (method: string, times: number) => {
  let left = times;
  return (_port: string, call: { readonly method: string }) => {
    if (call.method !== method || left === 0) return undefined;
    left -= 1;
    return { fault: 'request-lost' } as const;
  };
};

const idOf = (n: number) => n.toString(16).padStart(32, '0');

describe('G5: what our own store did not answer burns no attempt', () => {
  it('a payload that cannot be read three times', async () => {
    const system = working();
    const id = await system.accept('order-1', { pad: 'x'.repeat(600) });
    system.disturb = losing('readPayload', 3);
    await system.settle();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', attempt: 1, losses: 0 });
    expect(system.effects(id)).toBe(1);
  });

  it('a finish that fails once is written again within the lease', async () => {
    const system = working();
    const id = await system.accept('order-1');
    system.disturb = losing('finish', 1);
    await system.deliver({ spendMs: 1_500 });
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', starts: 1, losses: 0 });
    expect(system.effects(id)).toBe(1);
  });
});

describe('G9: shards follow the intake', () => {
  it('also when the first try of a lowering write arrives after everything', async () => {
    const system = new Deployment(() => ({}), { capacity: 33 });
    await system.accept('order-1');
    const until = system.clock.now() + 28_000;
    const operator = { mode: undefined, actor: 'operator' };
    await changeIntake(system.world(), { state: 'closed', ...operator }, until);
    const written: Parameters<typeof system.slots.writeShard>[] = [];
    system.disturb = (_port, { method, args }) => {
      if (method === 'writeShard') written.push(structuredClone(args) as Parameters<typeof system.slots.writeShard>);
      return undefined;
    };
    await changeIntake(system.world(), { state: 'open', ...operator }, until);
    system.disturb = () => undefined;
    for (const [next, read] of written) await system.slots.writeShard(next, read);
    expect(system.slots.shards().map(({ open }) => open)).toEqual([true, true]);
  });

  it('and one that does not is mended by the reconciler', async () => {
    const system = new Deployment(() => ({}), { capacity: 33 });
    await system.accept('order-1');
    const [shard] = system.slots.shards();
    if (shard === undefined) throw new Error('there is no shard');
    await system.slots.writeShard({ ...shard, open: false }, shard);
    await system.reconcile();
    expect(system.slots.shards().every(({ open }) => open)).toBe(true);
  });

  it('a token whose first answer was lost before the close is known to be in', async () => {
    const system = new Deployment(() => ({}), { capacity: 20 });
    await system.accept('order-1');
    await system.settle();
    const close = () =>
      changeIntake(
        { ...system.world(), slots: system.slots },
        { state: 'closed', mode: 'drain', actor: 'operator' },
        system.clock.now() + 28_000,
      );
    system.disturb = (_port, { method }) =>
      method === 'take' ? { fault: 'repeated', between: async () => void (await close()) } : undefined;
    const world = system.world();
    const taking = await takeSlot(world, new SlotView(world), { id: 'a'.repeat(32), scope: 'a/b' });
    system.disturb = () => undefined;
    expect(taking.kind).toBe('taken');
  });
});

describe('slots of a large registry', () => {
  it.each([0.01, 0.002])('G1: tenants with a share of %s can use the capacity together', async (tenantShare) => {
    const system = new Deployment(() => ({}), { ...productionLimits, capacity: 320, tenantShare });
    const world = system.world();
    for (let n = 0; n < 2_000; n += 1) {
      await takeSlot(world, new SlotView(world), { id: idOf(n), scope: `1/T${n % 500}` });
    }
    expect(system.slots.tokens().length).toBeGreaterThan(300);
  });

  it('are refused only when there is none', async () => {
    const system = new Deployment(() => ({}), { ...productionLimits, capacity: 1_000 });
    const world = system.world();
    const view = new SlotView(world);
    let taken = 0;
    while ((await takeSlot(world, view, { id: idOf(taken), scope: '1/T' })).kind === 'taken') {
      taken += 1;
      if (taken % 20 === 0) await system.clock.advance(20);
    }
    expect(taken).toBe(1_000);
  });

  it('G8: one that no record carries is found within 20 minutes among 50,000', async () => {
    const system = new Deployment(() => ({}), { ...productionLimits, capacity: 100_000 });
    await system.accept('order-1');
    const start = system.clock.now();
    for (let shard = 0; shard < 3_125; shard += 1) {
      await system.slots.createShard({ index: shard, open: true, cap: 32, version: 1 });
      for (let n = 0; n < 16; n += 1) {
        const token = makeToken(idOf(shard), n.toString(16).padStart(12, '0'), start + 3_600_000);
        await system.slots.take({ shard, token });
      }
    }
    const orphan = { shard: 3_124, token: makeToken('f'.repeat(32), '0'.repeat(12), start) };
    await system.slots.take(orphan);
    while (system.slots.tokens().includes(orphan.token) && system.clock.now() < start + 3_600_000) {
      await system.clock.advance(60_000);
      await system.reconcile();
    }
    expect(system.clock.now() - start).toBeLessThanOrEqual(20 * 60_000);
  }, 60_000);
});

describe('messages', () => {
  it('are not sent again just because the consumer was paused for long', async () => {
    const system = new Deployment(() => ({}), { ...productionLimits, capacity: 100 });
    for (let n = 0; n < 50; n += 1) await system.accept(`order-${n}`);
    await system.consumer.set('paused');
    for (let minute = 0; minute < 60; minute += 1) {
      await system.clock.advance(60_000);
      await system.reconcile();
    }
    await system.consumer.set('running');
    await system.clock.advance(60_000);
    await system.reconcile();
    expect(system.queue.messages()).toHaveLength(50);
  });
});

describe('G5: a suspect beside a handler that goes on past its timeout', () => {
  it('waits for it, six times at most, and costs no second attempt meanwhile', async () => {
    const beside: number[] = [];
    let hanging = 0;
    const system = new Deployment(
      async ({ id, payload }) => {
        const { hangs } = payload as { hangs?: boolean };
        if (hangs && hanging === 0) {
          hanging += 1;
          await new Promise(() => undefined);
        }
        beside.push(hanging);
        return { writes: [effectOf(id)] };
      },
      { ...productionLimits, jobTimeoutSeconds: 5 },
    );
    const suspect = await system.accept('suspect');
    // Its worker is lost once: the finish never comes back.
    const lost = system.worker();
    system.disturb = (_port, { method }) =>
      method === 'finish' ? { before: () => new Promise<never>(() => undefined) } : undefined;
    await system.deliver({ worker: lost });
    lost.ended = true;
    system.disturb = () => undefined;
    await system.clock.advance(70_000);
    await system.reconcile();
    expect(await system.job(suspect)).toMatchObject({ state: 'retrying', losses: 1 });
    await system.clock.advance(system.limits.visibilitySeconds * 1000);

    beside.length = 0;
    const worker = system.worker();
    await system.accept('hangs', { hangs: true });
    await system.deliver({ worker, spendMs: 10_000 });
    expect(system.telemetry.count('PutOffs', { code: 'handler-hanging' })).toBe(1);
    expect(beside).toEqual([]);
    expect(await system.job(suspect)).toMatchObject({ state: 'retrying', attempt: 1 });
    // Another process has nothing hanging, and takes it.
    await system.clock.advance(system.limits.consumerTimeoutSeconds * 1000);
    await system.deliver({ worker: system.worker(), spendMs: 10_000 });
    expect(await system.job(suspect)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });
});

describe('an id that is no id', () => {
  it('is never asked for', async () => {
    const system = new Deployment(() => ({}));
    let asked = 0;
    system.disturb = (_port, { method }) => {
      if (method === 'read') asked += 1;
      return undefined;
    };
    expect(await cancelJob(system.world(), 'a'.repeat(3_000), 'a/b', 'a/b')).toEqual({ kind: 'not-found' });
    expect(asked).toBe(0);
  });
});
