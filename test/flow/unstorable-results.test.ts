import { describe, expect, it } from 'vitest';
import { Retryable } from '#functions/jobs/define-job.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

/** G3: case 5 of the field, an effect must not be done before a result that cannot be stored is found out. */
describe('G3: a result that cannot be stored', () => {
  const results: readonly [string, unknown, string][] = [
    ['a BigInt', { n: 1n }, 'cannot be stored as JSON'],
    ['a cycle', cycle, 'cannot be stored as JSON'],
    ['500 KB', 'x'.repeat(500_000), 'bytes as JSON'],
  ];

  it.each(results)('%s: a clear reason, no effect, no second run', async (_name, result, why) => {
    let runs = 0;
    const system = new Deployment(({ id }) => {
      runs += 1;
      return { writes: [effectOf(id)], result };
    });
    const id = await system.accept('order-1');
    await system.settle();
    const job = await system.job(id);
    expect(job).toMatchObject({ state: 'dead', reason: { code: 'permanent-error' } });
    expect(job.state === 'dead' && job.reason.message).toContain(why);
    expect([runs, system.effects(id)]).toEqual([1, 0]);
    expect(system.queue.deadLetters()).toHaveLength(1);
  });

  it('undefined is null', async () => {
    const system = new Deployment(({ id }) => ({ writes: [effectOf(id)], result: undefined }));
    const id = await system.accept('order-1');
    await system.deliver();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', result: 'null' });
    expect(system.effects(id)).toBe(1);
  });
});

/** G6: case 6 of the field, what is thrown concerns its own record only. */
describe('G6: what a handler throws', () => {
  it('reports each of three that failed', async () => {
    const system = new Deployment(() => {
      throw new Retryable('not now');
    });
    for (const key of ['a', 'b', 'c']) await system.accept(key);
    const sent = system.queue.messages().map(({ messageId }) => messageId);
    expect((await system.deliver())?.toSorted()).toEqual(sent.toSorted());
    expect(system.queue.messages()).toHaveLength(3);
  });

  it.each([
    ['undefined', undefined],
    ['a text', 'text'],
    ['null', null],
    ['an object without a text', Object.create(null)],
  ])('%s: that record only', async (_name, thrown) => {
    const system = new Deployment(({ id, payload }) => {
      if ((payload as { bad: boolean }).bad) throw thrown;
      return { writes: [effectOf(id)] };
    });
    const good = [await system.accept('a', { bad: false }), await system.accept('b', { bad: false })];
    const bad = await system.accept('c', { bad: true });
    expect(await system.deliver()).toEqual([]);
    expect(await system.job(bad)).toMatchObject({ state: 'dead', reason: { code: 'permanent-error' } });
    expect(good.map((id) => system.effects(id))).toEqual([1, 1]);
    expect(system.queue.deadLetters()).toHaveLength(1);
    expect(system.queue.messages()).toEqual([]);
  });

  it('a service that fails reports its record, which runs later', async () => {
    const system = new Deployment(({ id }) => ({ writes: [effectOf(id)] }));
    const id = await system.accept('a');
    system.disturb = (port) => (port === 'store' ? { fault: 'request-lost', error: 'not even an error' } : undefined);
    expect(await system.deliver()).toHaveLength(1);
    system.disturb = () => undefined;
    await system.settle();
    expect(await system.job(id)).toMatchObject({ state: 'succeeded', starts: 1 });
  });
});
