import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '#functions/ports.ts';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** 2026-01-01T00:00:00Z: an ordinary date, so that a token's seconds have the eight hex digits of our time. */
export const epoch = Date.UTC(2026, 0, 1);

/** Time that moves only when a test moves it. Waits end in the order of their times, then of their calls. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #timers: Timer[] = [];

  constructor(now = epoch) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#order += 1;
      const done = () => {
        this.#timers = this.#timers.filter((other) => other !== timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order, fire: done };
      this.#timers.push(timer);
      signal?.addEventListener('abort', done, { once: true });
    });
  }

  /** How many calls of `wait` have not come back. */
  get waiting(): number {
    return this.#timers.length;
  }

  /** When the next wait ends, if there is one. */
  nextAt(): number | undefined {
    return this.#next()?.at;
  }

  /** Sets the time forward without a turn in between: waits that have ended come back on their callers' next turn. */
  jumpTo(time: number): void {
    if (time < this.#now) throw new RangeError(`the clock stands at ${this.#now} and cannot go back to ${time}`);
    for (let next = this.#next(); next && next.at <= time; next = this.#next()) {
      this.#now = Math.max(this.#now, next.at);
      next.fire();
    }
    this.#now = time;
  }

  jump(ms: number): void {
    this.jumpTo(this.#now + ms);
  }

  /**
   * Moves the time forward and lets whatever a wait has woken run at the time when it was woken, so that waits which it
   * starts within the span end in this call too.
   */
  async advance(ms: number): Promise<void> {
    const until = this.#now + ms;
    await nextTurn();
    for (let next = this.#next(); next && next.at <= until; next = this.#next()) {
      this.jumpTo(Math.max(this.#now, next.at));
      await nextTurn();
    }
    this.jumpTo(until);
    await nextTurn();
  }

  #next(): Timer | undefined {
    return this.#timers.toSorted((a, b) => a.at - b.at || a.order - b.order)[0];
  }
}
