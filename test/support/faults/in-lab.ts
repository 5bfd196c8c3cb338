import { expect } from 'vitest';
import type { Limits } from '#core/limits.ts';
import { Injection } from './injection.ts';
import { brokenInvariants } from './invariants.ts';
import { Lab } from './lab.ts';
import { settle } from './settle.ts';

/** Runs a history in a lab of its own, lets it settle, and holds the invariants against it. */
export const inLab = async (history: (lab: Lab) => Promise<void>, limits: Partial<Limits> = {}): Promise<void> => {
  const lab = await Lab.make(limits);
  try {
    await history(lab);
    expect(await brokenInvariants(lab, await settle(lab, []))).toEqual([]);
  } finally {
    lab.close();
  }
};

/** The first `times` tries of what the expression names end with this error instead of being sent. */
export const failing = (lab: Lab, calls: RegExp, error: () => Error, times?: number): Injection => {
  const injection = new Injection(
    calls,
    async () => {
      throw error();
    },
    times,
  );
  lab.injections.push(injection);
  return injection;
};

/** Answers of what the expression names are changed on their way. */
export const answering = <Output>(
  lab: Lab,
  calls: RegExp,
  change: (output: Output) => Output,
  times?: number,
): Injection => {
  const injection = new Injection(
    calls,
    async <T>(send: () => Promise<T>): Promise<T> => {
      const result = (await send()) as { output: Output };
      return { ...result, output: change(result.output) } as T;
    },
    times,
  );
  lab.injections.push(injection);
  return injection;
};
