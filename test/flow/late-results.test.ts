import { describe, expect, it } from 'vitest';
import { Retryable } from '#functions/jobs/define-job.ts';
import { VirtualClock } from '#test/support/memory/clock.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

/** A gate that a handler waits at until the test opens it. */
const makeGate = () => Promise.withResolvers<void>();

/** G3: case 2 of the field, two more deliveries while a job runs. */
describe('G3: a job that runs is delivered again', () => {
  it('B and C are put off, A has the one effect', async () => {
    const gate = makeGate();
    let runs = 0;
    const system = new Deployment(async ({ id }) => {
      runs += 1;
      await gate.promise;
      return { writes: [effectOf(id)] };
    });
    const id = await system.accept('order-1');
    await system.deliver();
    // B is the same message once more, C another copy of it.
    system.queue.deliverAgain(system.queue.messages()[0]?.messageId ?? '');
    expect(await system.deliver()).toEqual([]);
    expect(system.telemetry.count('PutOffs', { code: 'running', jobId: id })).toBe(1);
    await system.queue.send(await system.job(id), 0);
    expect(await system.deliver()).toEqual([]);
    expect(system.telemetry.count('PutOffs', { code: 'running', jobId: id })).toBe(2);
    expect(await system.job(id)).toMatchObject({ state: 'running', starts: 1 });
    gate.resolve();
    await system.clock.advance(0);
    await system.settle();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', starts: 1 });
    expect([runs, system.effects(id)]).toEqual([1, 1]);
    expect(system.slots.tokens()).toEqual([]);
  });
});

/** G3: case 4 of the field, the first run comes back after a second one has finished. */
describe('G3: a result that comes after the lease has ended', () => {
  const lateRuns = {
    success: () => undefined,
    'permanent failure': () => {
      throw new Error('late');
    },
    'temporary failure': () => {
      throw new Retryable('late');
    },
  };

  it.each(Object.entries(lateRuns))('a late %s changes nothing', async (_name, end) => {
    const gate = makeGate();
    const system = new Deployment(async ({ id, attempt }) => {
      if (attempt === 1) {
        await gate.promise;
        end();
      }
      return { writes: [effectOf(id)], result: `r${attempt}` };
    });
    const id = await system.accept('order-1');
    // A stands still: its clock does not move, so it does not even know that its time is over.
    await system.deliver({ worker: system.worker(new VirtualClock(system.clock.now())) });
    await system.clock.advance(system.limits.visibilitySeconds * 1000);
    await system.deliver();
    const done = await system.job(id);
    expect(done).toMatchObject({ state: 'succeeded', result: '"r2"', attempt: 2, losses: 1 });
    gate.resolve();
    await system.clock.advance(0);
    expect(await system.job(id)).toEqual(done);
    expect(system.effects(id)).toBe(1);
    expect(system.telemetry.count('FenceRejected', { jobId: id })).toBe(1);
    await system.settle();
    expect(system.slots.tokens()).toEqual([]);
  });
});
