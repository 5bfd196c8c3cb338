import { setTimeout as sleep } from 'node:timers/promises';

/** Asks until the answer is true, or throws once `seconds` are over. */
export const until = async (what: string, seconds: number, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + seconds * 1_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(50);
  }
};
