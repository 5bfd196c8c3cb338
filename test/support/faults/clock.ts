import type { Clock } from '#functions/ports.ts';

/** Below this a wait without a signal is one of the flow's own pauses between two tries. */
const pauseMaxMs = 1_000;

/**
 * A clock that tests move forward. The flow's pauses between tries move it too, instead of taking time; bounds on a call
 * or a handler (longer, or with a signal) end only when a test moves the clock beyond them.
 */
export class MovedClock implements Clock {
  #ahead = 0;
  #bounds: { readonly at: number; readonly end: () => void }[] = [];

  now(): number {
    return Date.now() + this.#ahead;
  }

  advance(seconds: number): void {
    this.#move(seconds * 1000);
  }

  /** Time passes, but not for those who wait now: their process is frozen, and their bounds go on when it wakes. */
  advanceOverFrozen(seconds: number): void {
    this.#bounds = this.#bounds.map(({ at, end }) => ({ at: at + seconds * 1000, end }));
    this.#move(seconds * 1000);
  }

  /** Does nothing if it is later already. */
  reach(at: number): void {
    this.#move(Math.max(0, at - this.now()));
  }

  async wait(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal === undefined && ms < pauseMaxMs) {
      this.#move(ms);
      return;
    }
    await new Promise<void>((resolve) => {
      this.#bounds.push({ at: this.now() + ms, end: resolve });
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #move(ms: number): void {
    this.#ahead += ms;
    const now = this.now();
    const over = this.#bounds.filter((bound) => bound.at <= now);
    this.#bounds = this.#bounds.filter((bound) => bound.at > now);
    for (const bound of over) bound.end();
  }
}
