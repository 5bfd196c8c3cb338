import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock, Random } from '#functions/ports.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (ms, signal) => {
    // An abort ends the wait early; it is not an error here.
    await delay(ms, undefined, signal && { signal }).catch(() => undefined);
  },
};

export const systemRandom: Random = {
  next: () => Math.random(),
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};
