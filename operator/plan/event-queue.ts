interface Event {
  readonly at: number;
  readonly order: number;
  readonly happen: () => void;
}

/** What will happen, in the order of virtual time; at one moment, in the order in which it was planned. A binary heap. */
export class EventQueue {
  readonly #heap: Event[] = [];
  #order = 0;
  now = 0;

  plan(at: number, happen: () => void): void {
    const event = { at, order: this.#order, happen };
    this.#order += 1;
    let place = this.#heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#heap[above];
      if (parent === undefined || isBefore(parent, event)) break;
      this.#heap[place] = parent;
      place = above;
    }
    this.#heap[place] = event;
  }

  /** Lets the next thing happen; false when there is none. */
  step(): boolean {
    const [first] = this.#heap;
    const last = this.#heap.pop();
    if (first === undefined || last === undefined) return false;
    if (this.#heap.length > 0) this.#sink(last);
    this.now = first.at;
    first.happen();
    return true;
  }

  #sink(event: Event): void {
    let place = 0;
    for (;;) {
      const [left, right] = [this.#heap[2 * place + 1], this.#heap[2 * place + 2]];
      if (left === undefined) break;
      const goesLeft = right === undefined || isBefore(left, right);
      const child = goesLeft ? left : right;
      if (isBefore(event, child)) break;
      this.#heap[place] = child;
      place = 2 * place + (goesLeft ? 1 : 2);
    }
    this.#heap[place] = event;
  }
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);
