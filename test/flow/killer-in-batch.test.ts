import { describe, expect, it } from 'vitest';
import { Deployment, type Worker } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

/** G5: a job that ends its worker takes none of its neighbours with it. */
describe('G5: ten jobs in one batch, one of which always ends the process', () => {
  it('nine succeed with one effect each, the killer is dead after three attempts, nobody else is dead', async () => {
    let worker: Worker | undefined;
    const system = new Deployment(({ id, payload }) => {
      if ((payload as { killer: boolean }).killer && worker) worker.ended = true;
      return { writes: [effectOf(id)] };
    });
    const ids: string[] = [];
    for (let n = 0; n < 10; n += 1) ids.push(await system.accept(`order-${n}`, { killer: n === 4 }));
    await system.settle(() => {
      worker = system.worker();
      return worker;
    });
    const jobs = await Promise.all(ids.map((id) => system.job(id)));
    const [killer] = jobs.splice(4, 1);
    expect(killer).toMatchObject({ state: 'dead', attempt: 3, starts: 3, reason: { code: 'worker-lost' } });
    expect(system.effects(killer?.id ?? '')).toBe(0);
    expect(jobs.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => 'succeeded'));
    expect(jobs.map(({ id }) => system.effects(id))).toEqual(Array.from({ length: 9 }, () => 1));
    // The crash that it could not foresee cost a neighbour one attempt at most.
    expect(Math.max(...jobs.map(({ starts }) => starts))).toBeLessThanOrEqual(2);
    expect(system.slots.tokens()).toEqual([]);
  });
});

describe('G5: suspects', () => {
  it('run after the others of their batch, one at a time, fewest attempts first', async () => {
    const log: string[] = [];
    let running = 0;
    let worker: Worker | undefined;
    const system = new Deployment(
      async ({ id, payload, attempt }) => {
        const { name, kills = 0 } = payload as { name: string; kills?: number };
        if (attempt <= kills && worker) {
          worker.ended = true;
          return {};
        }
        running += 1;
        log.push(`${name} beside ${running - 1}`);
        await system.clock.wait(100);
        running -= 1;
        return { writes: [effectOf(id)] };
      },
      { jobTimeoutSeconds: 1 },
    );
    const use = () => {
      worker = system.worker();
      return worker;
    };
    await system.accept('twice', { name: 'twice lost', kills: 2 });
    await system.deliver({ worker: use() });
    await system.clock.advance(system.limits.visibilitySeconds * 1000);
    await system.deliver({ worker: use() });
    await system.accept('once', { name: 'once lost', kills: 1 });
    await system.deliver({ worker: use() });
    await system.clock.advance(system.limits.visibilitySeconds * 1000);
    for (const name of ['a', 'b', 'c']) await system.accept(name, { name });
    await system.deliver({ worker: use(), spendMs: 1_000 });
    expect(log.slice(0, 3).toSorted()).toEqual(['a beside 0', 'b beside 1', 'c beside 2']);
    expect(log.slice(3)).toEqual(['once lost beside 0', 'twice lost beside 0']);
  });

  it('are put off when their time does not fit, and after three times run first', async () => {
    const order: string[] = [];
    let worker: Worker | undefined;
    const system = new Deployment(({ payload, attempt }) => {
      const { name, kills = 0 } = payload as { name: string; kills?: number };
      if (attempt <= kills && worker) worker.ended = true;
      else order.push(name);
      return {};
    });
    const id = await system.accept('suspect', { name: 'suspect', kills: 1 });
    worker = system.worker();
    await system.deliver({ worker });
    await system.clock.advance(system.limits.visibilitySeconds * 1000);
    worker = undefined;
    // The batch's time is used up when the suspect's turn comes; waiting costs it neither attempt nor receive.
    const tooShortMs = (system.limits.jobTimeoutSeconds + system.limits.finishReserveSeconds) * 1000;
    for (let putOffs = 1; putOffs <= system.limits.suspectPutOffsMax; putOffs += 1) {
      await system.accept(`filler-${putOffs}`, { name: `filler ${putOffs}` });
      await deliverSlowly(system, tooShortMs);
      expect(system.queue.messages()).toMatchObject([{ attributes: { suspectPutOffs: putOffs }, receiveCount: 0 }]);
      await system.clock.advance(2_000);
    }
    expect(await system.job(id)).toMatchObject({ attempt: 1, starts: 1 });
    order.length = 0;
    await system.accept('last', { name: 'other' });
    await system.deliver();
    expect(order).toEqual(['suspect', 'other']);
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', attempt: 2 });
  });
});

/** An invocation in which the others' finishes take so long that no other attempt fits after them. */
const deliverSlowly = async (system: Deployment, remainingMs: number): Promise<void> => {
  system.disturb = (_port, { method }) =>
    method === 'finish' ? { before: async () => system.clock.wait(100) } : undefined;
  await system.deliver({ remainingMs: remainingMs + 50, spendMs: 200 });
  system.disturb = () => undefined;
};
