/**
 * Ids of jobs that one instance took in or met lately, at most `max` of them. A hint only: it says which submissions are
 * worth a read before a slot is taken for them; what is answered is always read from the record.
 */
export class RecentIds {
  /** A Set keeps the order in which its members came: the first is the one that was met longest ago. */
  readonly #ids = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  remember(id: string): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= this.#max) return;
      this.#ids.delete(oldest);
    }
  }
}
