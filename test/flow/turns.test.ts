import { describe, expect, it } from 'vitest';
import type { JobWrite } from '#core/job-write.ts';
import { Turns } from '#flow/turns.ts';
import type { Clock } from '#functions/ports.ts';

const to = (...accounts: readonly string[]): readonly JobWrite[] =>
  accounts.map((account) => ({ table: 'ledger', key: { account }, kind: 'delete' }));

/** Works that begin when their turn comes and end when they are told; what happened, in its order. */
class Stage {
  readonly turns = new Turns();
  readonly story: string[] = [];
  readonly #ends = new Map<string, PromiseWithResolvers<void>>();
  readonly #over = Promise.withResolvers<void>();
  readonly #clock: Clock = {
    now: () => 0,
    wait: (_, signal) =>
      Promise.race([
        this.#over.promise,
        new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve())),
      ]),
  };

  take(name: string, writes: readonly JobWrite[]): Promise<string> {
    const end = Promise.withResolvers<void>();
    this.#ends.set(name, end);
    return this.turns.take(this.#clock, writes, 1_000, async () => {
      this.story.push(`${name} begins`);
      await end.promise;
      this.story.push(`${name} ends`);
      return name;
    });
  }

  end(name: string, error?: Error): void {
    if (error === undefined) this.#ends.get(name)?.resolve();
    else this.#ends.get(name)?.reject(error);
  }

  patienceEnds(): void {
    this.#over.resolve();
  }
}

/** What is due has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('ends of one batch', () => {
  it('that write to one item go one after another, in their order', async () => {
    const stage = new Stage();
    const all = ['a', 'b', 'c'].map((name) => stage.take(name, to('hot')));
    for (const name of ['c', 'b', 'a']) stage.end(name);
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect(stage.story).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('that write to different items, or to none, do not wait', async () => {
    const stage = new Stage();
    stage.take('a', to('one'));
    stage.take('b', to('two'));
    stage.take('c', []);
    await settled();
    expect(stage.story).toEqual(['a begins', 'b begins', 'c begins']);
  });

  it('that name one item in another order of its key wait as well', async () => {
    const stage = new Stage();
    const write = (key: JobWrite['key']): readonly JobWrite[] => [{ table: 'ledger', key, kind: 'delete' }];
    stage.take('a', write({ account: 'hot', day: 1 }));
    stage.take('b', write({ day: 1, account: 'hot' }));
    await settled();
    expect(stage.story).toEqual(['a begins']);
  });

  it('wait for each of their items', async () => {
    const stage = new Stage();
    stage.take('a', to('one'));
    stage.take('b', to('two'));
    stage.take('both', to('one', 'two'));
    stage.take('after', to('two'));
    stage.end('a');
    await settled();
    expect(stage.story).not.toContain('both begins');
    stage.end('b');
    await settled();
    expect(stage.story.at(-1)).toBe('both begins');
    stage.end('both');
    await settled();
    expect(stage.story.at(-1)).toBe('after begins');
  });

  it('come after one that failed, whose error is its own', async () => {
    const stage = new Stage();
    const failed = stage.take('a', to('hot'));
    const next = stage.take('b', to('hot'));
    stage.end('a', new Error('lost'));
    stage.end('b');
    await expect(failed).rejects.toThrow('lost');
    expect(await next).toBe('b');
  });

  it('do not wait for longer than they are told behind one that hangs', async () => {
    const stage = new Stage();
    stage.take('hanging', to('hot'));
    stage.take('b', to('hot'));
    await settled();
    expect(stage.story).toEqual(['hanging begins']);
    stage.patienceEnds();
    await settled();
    expect(stage.story).toEqual(['hanging begins', 'b begins']);
  });
});
