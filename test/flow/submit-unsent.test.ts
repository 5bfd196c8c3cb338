import { describe, expect, it } from 'vitest';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

/** G2: what becomes of a submission whose send fails or whose answer is lost. */
const deployment = () => new Deployment(({ id }) => ({ writes: [effectOf(id)], result: 'done' }));

const onSend = (fault: 'request-lost' | 'response-lost', times = 1) => {
  let left = times;
  return (_port: string, { method }: { readonly method: string }) => {
    if (method !== 'send' || left === 0) return undefined;
    left -= 1;
    return { fault };
  };
};

describe('G2: a submission whose send is unclear', () => {
  it.each(['request-lost', 'response-lost'] as const)(
    '%s: 503, then 200 with the same key, one effect',
    async (fault) => {
      const system = deployment();
      system.disturb = onSend(fault);
      const first = await system.submit('order-1');
      expect(first).toMatchObject({ kind: 'refused', problem: { code: 'unavailable' } });
      const second = await system.submit('order-1');
      if (second.kind !== 'replayed') throw new Error(`not replayed: ${JSON.stringify(second)}`);
      expect(system.queue.messages()).toHaveLength(fault === 'request-lost' ? 1 : 2);
      expect((await system.job(second.job.id)).unsent).toBeUndefined();
      await system.settle();
      expect(await system.job(second.job.id)).toMatchObject({ state: 'succeeded', starts: 1 });
      expect(system.effects(second.job.id)).toBe(1);
      expect(system.slots.tokens()).toEqual([]);
    },
  );

  it('is sent by the next run of the reconciler if nobody asks again', async () => {
    const system = deployment();
    system.disturb = onSend('request-lost');
    await system.submit('order-1');
    const [job] = system.store.jobs();
    expect(job).toMatchObject({ state: 'queued', unsent: true });
    expect(system.queue.messages()).toEqual([]);
    await system.reconcile();
    expect(system.telemetry.count('MessagesResent', { code: 'unsent' })).toBe(1);
    await system.settle();
    expect(await system.job(job?.id ?? '')).toMatchObject({ state: 'succeeded' });
    expect(system.effects(job?.id ?? '')).toBe(1);
  });

  it('is found by time when the mark was lost too', async () => {
    const system = deployment();
    system.disturb = (_port, { method }) =>
      method === 'send' || method === 'save' ? { fault: 'request-lost' } : undefined;
    await system.submit('order-1');
    system.disturb = () => undefined;
    const [job] = system.store.jobs();
    expect(job?.state === 'queued' && job.unsent).toBeFalsy();
    const missingAfterMs = (system.limits.visibilitySeconds + system.limits.resendPatienceSeconds) * 1000;
    await system.clock.advance(missingAfterMs);
    await system.reconcile();
    expect(system.queue.messages()).toEqual([]);
    await system.clock.advance(1);
    await system.reconcile();
    expect(system.queue.messages()).toHaveLength(1);
    await system.settle();
    expect(system.effects(job?.id ?? '')).toBe(1);
  });
});
