import { setTimeout as sleep } from 'node:timers/promises';
import type { Counter } from './counts.ts';
import { accountOf, submitAll } from './load.ts';
import type { System } from './system.ts';
import type { Tally } from './tally.ts';

/** What the peer has no counterpart of. */
export interface OwnCounts {
  /** 25 jobs a call, then taken ten at a time. */
  readonly bulk: Tally;
  /** While full: one refusal after another, and one every other second. */
  readonly refusedBusy: Tally;
  readonly refusedQuiet: Tally;
}

const bulkCalls = 8;
const bulkSize = 25;
const smallCapacity = 32;

const setCapacity = async (system: System, capacity: number): Promise<void> => {
  const { status, text } = await system.api.call('POST', '/operator/capacity', { capacity });
  if (status !== 200) throw new Error(`the capacity was not set: ${status} ${text}`);
};

const refusal = async (system: System, key: string): Promise<void> => {
  const { status } = await system.api.submit(key, 'ledger.credit', { account: accountOf(0), amount: 1 });
  if (status !== 429) throw new Error(`full, and yet a submission was answered ${status}`);
};

const submitInBulk = async (system: System): Promise<void> => {
  for (let call = 0; call < bulkCalls; call += 1) {
    const jobs = Array.from({ length: bulkSize }, (_, i) => ({
      key: `bulk-${call}-${i}`,
      type: 'ledger.credit',
      payload: { account: accountOf(i), amount: 1 },
    }));
    const { status, body } = await system.api.call<{ results: { status: number }[] }>('POST', '/jobs/batch', { jobs });
    if (status !== 200 || body.results.some((one) => one.status !== 202))
      throw new Error('a bulk call was not accepted');
  }
};

export const countOwn = async (counter: Counter, system: System, capacity: number): Promise<OwnCounts> => {
  const bulk = await counter.count(system, bulkCalls * bulkSize, async () => {
    await system.consume(false);
    await submitInBulk(system);
    await system.consume(true);
    await system.drained();
  });
  await system.consume(false);
  await setCapacity(system, smallCapacity);
  // Instances hold the capacity for up to a second after it changed.
  await sleep(1_200);
  await submitAll(system, 'full-', smallCapacity, 1);
  // Every instance that may answer has met "full" before it is counted.
  await Promise.all(Array.from({ length: 16 }, (_, i) => refusal(system, `first-refused-${i}`)));
  const busy = 60;
  const refusedBusy = await counter.count(system, busy, async () => {
    for (let i = 0; i < busy; i += 1) await refusal(system, `refused-${i}`);
  });
  const quiet = 5;
  const refusedQuiet = await counter.count(system, quiet, async () => {
    for (let i = 0; i < quiet; i += 1) {
      await refusal(system, `quiet-${i}`);
      await sleep(2_000);
    }
  });
  await setCapacity(system, capacity);
  await system.consume(true);
  await system.drained();
  return { bulk, refusedBusy, refusedQuiet };
};
