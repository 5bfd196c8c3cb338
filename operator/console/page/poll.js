/** @import { StatusAnswer } from '../../cli/answers.ts' */
import { api } from './api.js';

const lookEveryMs = 2_000;

/**
 * Does the work now and then again after each pause, until the signal says no more. A page that nobody sees asks for
 * nothing; it asks at once when it is seen again.
 * @param {() => Promise<void>} work
 * @param {AbortSignal} signal
 */
export const repeat = async (work, signal) => {
  while (!signal.aborted) {
    await work();
    await seen(signal);
    await pause(lookEveryMs, signal);
  }
};

/**
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });

/**
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
const seen = (signal) =>
  new Promise((resolve) => {
    if (!document.hidden || signal.aborted) return resolve();
    const end = () => {
      document.removeEventListener('visibilitychange', end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    document.addEventListener('visibilitychange', end);
    signal.addEventListener('abort', end);
  });

/**
 * @typedef {{ readonly at: number, readonly status: StatusAnswer }} Look
 * @typedef {{ readonly looks: readonly Look[], readonly error: unknown }} Seen
 */

const keptMs = 5 * 60_000;

/** The status as it was over the last minutes, and who wants to know of each look. */
export class StatusFeed {
  /** @type {Look[]} */
  #looks = [];
  #taken = 0;
  /** @type {unknown} */
  #error = undefined;
  /** @type {Set<(seen: Seen) => void>} */
  #listeners = new Set();

  /** @returns {StatusAnswer | undefined} */
  get status() {
    return this.#looks.at(-1)?.status;
  }

  /**
   * Tells the listener what is known already, then each look, until the signal.
   * @param {(seen: Seen) => void} listener
   * @param {AbortSignal} signal
   */
  listen(listener, signal) {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
    if (this.#looks.length > 0 || this.#error !== undefined) listener({ looks: this.#looks, error: this.#error });
  }

  /**
   * A status that came as the answer to a change.
   * @param {StatusAnswer} status
   */
  take(status) {
    this.#taken += 1;
    const at = Date.now();
    this.#looks = [...this.#looks.filter((look) => look.at > at - keptMs), { at, status }];
    this.#tell(undefined);
  }

  async look() {
    const before = this.#taken;
    try {
      /** @type {StatusAnswer} */
      const status = await api.get('/operator/status');
      // The answer to a change may have overtaken this one, which would show for a moment what was before it.
      if (this.#taken === before) this.take(status);
    } catch (error) {
      this.#tell(error);
    }
  }

  /** @param {unknown} error */
  #tell(error) {
    this.#error = error;
    for (const listener of this.#listeners) listener({ looks: this.#looks, error });
  }
}
