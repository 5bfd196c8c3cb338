import type { Clock, ConsumerState, ConsumerSwitch } from '#functions/ports.ts';

/**
 * An event source mapping that takes its time: a change is under way for `settleMs`. Like Lambda, it takes no other
 * change meanwhile and goes on with the one it has.
 */
export class MemoryConsumerSwitch implements ConsumerSwitch {
  readonly #clock: Clock;
  readonly #settleMs: number;
  #wanted: 'running' | 'paused' = 'running';
  #settledAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, settleMs = 0) {
    this.#clock = clock;
    this.#settleMs = settleMs;
  }

  async state(): Promise<ConsumerState> {
    return this.current();
  }

  async set(wanted: 'running' | 'paused'): Promise<ConsumerState> {
    const settled = this.#clock.now() >= this.#settledAt;
    if (settled && wanted !== this.#wanted) {
      this.#wanted = wanted;
      this.#settledAt = this.#clock.now() + this.#settleMs;
    }
    return this.current();
  }

  /** Test side: the state at once, for a simulated mapping that asks before each receive. */
  current(): ConsumerState {
    if (this.#clock.now() >= this.#settledAt) return this.#wanted;
    return this.#wanted === 'paused' ? 'pausing' : 'resuming';
  }
}
