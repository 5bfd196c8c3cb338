import { describe, expect, it } from 'vitest';
import { fingerprintOf, jobId } from '#core/identity.ts';
import { changeIntake } from '#flow/intake.ts';
import { SlotView } from '#flow/slot-view.ts';
import { submit } from '#flow/submit.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

describe('a drain', () => {
  it('whose time is over names what is left, and leaves the intake closed', async () => {
    const system = new Deployment(() => ({}));
    const id = await system.accept('order-1');
    await system.consumer.set('paused');
    const world = system.world();
    await changeIntake(world, { state: 'closed', mode: 'drain', actor: 'operator' }, world.clock.now() + 1_000);
    await system.clock.advance(system.limits.drainSeconds * 1000 - 1);
    await system.reconcile();
    expect((await system.slots.readControl())?.intake).toBe('draining');
    await system.clock.advance(1);
    await system.reconcile();
    expect((await system.slots.readControl())?.intake).toBe('closed');
    expect(system.telemetry.count('IntakeChanged', { code: 'drain-deadline' })).toBe(1);
    const [told] = system.telemetry.of('IntakeChanged').filter(({ code }) => code === 'drain-deadline');
    expect(told?.detail).toMatchObject({ left: 1, names: id });
  });

  it('begins to count its looks again when one finds work', async () => {
    const system = new Deployment(({ id }) => ({ writes: [effectOf(id)] }));
    await system.accept('order-1');
    await system.settle();
    const world = system.world();
    await changeIntake(world, { state: 'closed', mode: 'drain', actor: 'operator' }, world.clock.now() + 1_000);
    await system.reconcile();
    expect((await system.slots.readControl())?.drain?.cleanLooks).toBe(1);
    // Somebody's stray is received and not acknowledged yet.
    system.queue.sendRaw('stray');
    expect(system.queue.receive(1)).toHaveLength(1);
    await system.reconcile();
    expect(await system.slots.readControl()).toMatchObject({ intake: 'draining', drain: { cleanLooks: 0 } });
  });
});

describe('progress', () => {
  it('is shown in the job, once a second at most, and never holds up the work', async () => {
    const system = new Deployment(({ id, progress }) => {
      progress(1, 3, 'one');
      progress(2, 3, 'two');
      progress(Number.NaN, 3);
      return { writes: [effectOf(id)] };
    });
    const id = await system.accept('order-1');
    let noted = 0;
    system.disturb = (_port, { method }) => {
      if (method === 'noteProgress') noted += 1;
      return undefined;
    };
    await system.settle();
    expect(noted).toBe(1);
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', progress: { done: 1, total: 3, note: 'one' } });
  });

  it('that cannot be written fails nothing', async () => {
    const system = new Deployment(({ id, progress }) => {
      progress(1, 1);
      return { writes: [effectOf(id)] };
    });
    const id = await system.accept('order-1');
    system.disturb = (_port, { method }) => (method === 'noteProgress' ? { fault: 'request-lost' } : undefined);
    await system.settle();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', attempt: 1 });
  });
});

describe('a tenant’s share', () => {
  it('refuses one tenant in words while another is let in, and is free again with its jobs', async () => {
    const system = new Deployment(({ id }) => ({ writes: [effectOf(id)] }), { capacity: 20, tenantShare: 0.1 });
    const world = system.world();
    const view = new SlotView(world);
    const answer = async (n: number, scope: string) => {
      const key = `order-${n}`;
      const identity = { id: jobId(scope, 'story', key), fingerprint: fingerprintOf('story', {}, {}) };
      const submission = { ...identity, scope, type: 'story', key, payload: '{}', options: {} };
      const submitted = await submit(world, view, submission, world.clock.now());
      return submitted.kind === 'refused' ? submitted.problem.code : submitted.kind;
    };
    expect([await answer(1, '1/A'), await answer(2, '1/A'), await answer(3, '1/A')]).toEqual([
      'accepted',
      'accepted',
      'tenant-quota',
    ]);
    expect(await answer(4, '1/B')).toBe('accepted');
    expect(await answer(1, '1/A')).toBe('replayed');
    await system.settle();
    expect(await answer(3, '1/A')).toBe('accepted');
  });
});
