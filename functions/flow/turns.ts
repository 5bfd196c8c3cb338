import { itemOf, type JobWrite } from '#core/job-write.ts';
import type { Clock } from '#functions/ports.ts';

/**
 * Whose end comes when, within one batch. Of transactions that overlap on an item DynamoDB lets one pass and cancels the
 * others, which are paid for all the same. So ends that write to one item come one after another, and only one of a batch
 * at a time competes with those of other processes.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work once all before it that write to an item of these writes are over, or `patienceMs` have passed. */
  take<T>(clock: Clock, writes: readonly JobWrite[], patienceMs: number, work: () => Promise<T>): Promise<T> {
    const items = writes.map(itemOf);
    const before = items.flatMap((item) => this.#last.get(item) ?? []);
    const mine = before.length === 0 ? work() : within(clock, patienceMs, before).then(work);
    const over = mine.catch(() => undefined);
    for (const item of items) this.#last.set(item, over);
    return mine;
  }
}

const within = async (clock: Clock, ms: number, before: readonly Promise<unknown>[]): Promise<void> => {
  const over = new AbortController();
  await Promise.race([Promise.all(before), clock.wait(ms, over.signal)]);
  over.abort();
};
