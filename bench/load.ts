import type { System } from './system.ts';

/** Closed-loop clients: each submits its next job when its last one was answered. Returns each answer's time (ms). */
export const submitAll = async (
  system: System,
  keyStart: string,
  jobs: number,
  clients: number,
): Promise<readonly number[]> => {
  const times: number[] = [];
  let next = 0;
  const client = async () => {
    while (next < jobs) {
      const i = next;
      next += 1;
      times.push(await system.submit(`${keyStart}${i}`, accountOf(i)));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return times;
};

/** No hot account: contention is another question than cost. */
export const accountOf = (i: number): string => `account-${i}`;
