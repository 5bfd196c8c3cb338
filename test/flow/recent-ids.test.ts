import { describe, expect, it } from 'vitest';
import { RecentIds } from '#flow/recent-ids.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

describe('the ids that an instance remembers', () => {
  it('are the latest ones, up to the bound; one that is met again counts as new', () => {
    const recent = new RecentIds(2);
    recent.remember('a');
    recent.remember('b');
    recent.remember('a');
    recent.remember('c');
    expect(['a', 'b', 'c'].filter((id) => recent.has(id))).toEqual(['a', 'c']);
  });
});

describe('a replay', () => {
  const system = () => {
    const deployment = new Deployment(({ id }) => ({ writes: [effectOf(id)] }));
    const calls: string[] = [];
    deployment.disturb = (port, { method }) => {
      if (port !== 'queue') calls.push(`${port}.${method}`);
      return undefined;
    };
    return { deployment, take: () => calls.splice(0) };
  };

  it('costs one read on an instance that has met its job, and no slot', async () => {
    const { deployment, take } = system();
    await deployment.accept('order-1');
    take();
    expect(await deployment.submit('order-1')).toMatchObject({ kind: 'replayed' });
    expect(take()).toEqual(['store.read']);
    expect(await deployment.submit('order-1', { other: true })).toMatchObject({
      problem: { code: 'idempotency-conflict' },
    });
    expect(take()).toEqual(['store.read']);
  });

  it('takes a slot and gives it back on another instance, which remembers it from then on', async () => {
    const { deployment, take } = system();
    await deployment.accept('order-1');
    deployment.replaceApi();
    take();
    expect(await deployment.submit('order-1')).toMatchObject({ kind: 'replayed' });
    expect(take()).toEqual(expect.arrayContaining(['slots.take', 'store.insert', 'slots.free']));
    expect(await deployment.submit('order-1')).toMatchObject({ kind: 'replayed' });
    expect(take()).toEqual(['store.read']);
    expect(deployment.slots.tokens()).toHaveLength(1);
  });

  it('that conflicts takes a slot at its first meeting only', async () => {
    const { deployment, take } = system();
    await deployment.accept('order-1');
    deployment.replaceApi();
    const conflict = { problem: { code: 'idempotency-conflict' } };
    expect(await deployment.submit('order-1', { other: true })).toMatchObject(conflict);
    take();
    expect(await deployment.submit('order-1', { other: true })).toMatchObject(conflict);
    expect(take()).toEqual(['store.read']);
  });

  it('takes no slot either where the first answer was 503, since the message could not be sent', async () => {
    const { deployment, take } = system();
    const undisturbed = deployment.disturb;
    deployment.disturb = (port, call) =>
      port === 'queue' ? { before: () => Promise.reject(new Error('cut off')) } : undisturbed(port, call);
    expect(await deployment.submit('order-1')).toMatchObject({ problem: { code: 'unavailable' } });
    deployment.disturb = undisturbed;
    take();
    expect(await deployment.submit('order-1')).toMatchObject({ kind: 'replayed' });
    expect(take()).not.toContain('slots.take');
  });

  it('is a new job once the record is past its time, though the instance remembers the id', async () => {
    const { deployment } = system();
    const id = await deployment.accept('order-1');
    await deployment.settle();
    await deployment.clock.advance((deployment.limits.finalRetentionSeconds + 1) * 1000);
    expect(await deployment.accept('order-1')).toBe(id);
    await deployment.settle();
    expect(deployment.effects(id)).toBe(2);
  });
});
