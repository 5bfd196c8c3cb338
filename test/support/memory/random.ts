import type { Random } from '#functions/ports.ts';
import { seededWords } from '../../../operator/plan/seeded.ts';

/** Numbers that follow from a seed, so that a run can be repeated. */
export class SeededRandom implements Random {
  readonly #word: () => number;

  constructor(seed: number) {
    this.#word = seededWords(seed);
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
}
