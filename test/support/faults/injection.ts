/** Gets the call's name and which of the SDK's tries this is, from 1. */
export type Answer = <T>(send: () => Promise<T>, call: string, tries: number) => Promise<T>;

/**
 * What the emulator never does: errors and answers put in at the same place as the faults, for the calls that are meant
 * and as often as told.
 */
export class Injection {
  readonly #meant: RegExp;
  readonly #answer: Answer;
  #left: number;

  constructor(meant: RegExp, answer: Answer, times = Number.POSITIVE_INFINITY) {
    this.#meant = meant;
    this.#answer = answer;
    this.#left = times;
  }

  /** From now on it meets nothing. */
  end(): void {
    this.#left = 0;
  }

  meets(call: string): boolean {
    return this.#left > 0 && this.#meant.test(call);
  }

  answer<T>(send: () => Promise<T>, call: string, tries: number): Promise<T> {
    this.#left -= 1;
    return this.#answer(send, call, tries);
  }
}
