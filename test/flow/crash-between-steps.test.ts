import { describe, expect, it } from 'vitest';
import { isInFlight } from '#core/job.ts';
import { Retryable } from '#functions/jobs/define-job.ts';
import { Deployment } from '#test/support/simulation/deployment.ts';
import { effectOf } from '#test/support/simulation/handlers.ts';

/*
 * Case 7 of the field: a crash between any two steps, and the counts come true again (G6, G8). Every call of the story
 * is found by running it, so a new call is covered by itself.
 */
const forEver = new Promise<never>(() => undefined);

const story = () => {
  const system = new Deployment(({ id, attempt, payload }) => {
    const { fails } = payload as { fails: 'never' | 'once' | 'always' };
    if (fails === 'always') throw new Error('never');
    if (fails === 'once' && attempt === 1) throw new Retryable('not now');
    return { writes: [effectOf(id)] };
  });
  return system;
};

const fates = ['never', 'once', 'always'] as const;

/** Submits one job and lets one batch run; everything stops at call `at`, before it or after it. */
const runUntil = async (fails: (typeof fates)[number], at: number, after: boolean): Promise<Deployment> => {
  const system = story();
  let made = 0;
  let ended = false;
  system.disturb = () => {
    if (ended) return { before: () => forEver };
    made += 1;
    if (made - 1 !== at) return undefined;
    ended = true;
    return after ? { after: () => forEver } : { before: () => forEver };
  };
  const submitted = system.submit('order-1', { fails });
  await system.clock.advance(0);
  if (!ended) {
    await submitted;
    await system.deliver();
  }
  calls = Math.max(calls, made);
  system.disturb = () => undefined;
  return system;
};
let calls = 0;

describe('G8: a crash between any two steps', () => {
  it.each(fates)(
    'of a job that fails %s leaves no slot taken and no job behind',
    { timeout: 60_000 },
    async (fails) => {
      calls = 0;
      await runUntil(fails, Number.POSITIVE_INFINITY, false);
      const all = calls;
      expect(all).toBeGreaterThan(6);
      for (let at = 0; at < all; at += 1) {
        for (const after of [false, true]) {
          const system = await runUntil(fails, at, after);
          await system.settle();
          const [job] = system.store.jobs();
          const where = `${after ? 'after' : 'before'} call ${at}`;
          expect(system.slots.tokens(), where).toEqual([]);
          if (job === undefined) continue;
          expect(isInFlight(job), where).toBe(false);
          expect(system.effects(job.id), where).toBe(job.state === 'succeeded' ? 1 : 0);
          expect(job.state, where).toBe(fails === 'always' ? 'dead' : 'succeeded');
        }
      }
    },
  );
});
