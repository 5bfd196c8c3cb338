/** First in, first out; each step in constant time on average. */
export class Line<T> {
  #items: T[] = [];
  #from = 0;

  get length(): number {
    return this.#items.length - this.#from;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  take(most: number): readonly T[] {
    const items = this.#items.slice(this.#from, this.#from + most);
    this.#from += items.length;
    if (this.#from > 1_000 && this.#from * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#from);
      this.#from = 0;
    }
    return items;
  }
}
