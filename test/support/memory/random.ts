import type { Random } from '#functions/ports.ts';

/**
 * Numbers that follow from a seed, so that a run can be repeated. The generator is mulberry32: small, fast, and even
 * enough to choose interleavings with; it is no source of secrets.
 */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    return this.#word() / 2 ** 32;
  }

  hex(bytes: number): string {
    let digits = '';
    while (digits.length < bytes * 2) digits += this.#word().toString(16).padStart(8, '0');
    return digits.slice(0, bytes * 2);
  }

  /** A whole number from 0 to `below - 1`. */
  below(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(choices: readonly T[]): T {
    const choice = choices[this.below(choices.length)];
    if (choices.length === 0) throw new RangeError('there is nothing to pick from');
    return choice as T;
  }

  shuffle<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, rank: this.next() }))
      .sort((a, b) => a.rank - b.rank)
      .map(({ value }) => value);
  }

  /** A generator of its own, so that one part's draws do not shift another's. */
  fork(): SeededRandom {
    return new SeededRandom(this.#word());
  }

  #word(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }
}
