import type { JobWrite } from '#core/job-write.ts';
import { copyOf } from './copy.ts';
import { holds, InvalidWrites, type Item, updated } from './expressions.ts';

export type Committed = { readonly kind: 'written' } | { readonly kind: 'condition-failed'; readonly index: number };
export type Key = Readonly<Record<string, string | number>>;

/** The handlers' tables: items by table and key. With `known`, a table that is not configured throws. */
export class MemoryTables {
  readonly #known: ReadonlySet<string> | undefined;
  readonly #items = new Map<string, { readonly table: string; readonly item: Item }>();

  constructor(known?: readonly string[]) {
    this.#known = known && new Set(known);
  }

  /**
   * All writes or none, as a transaction does it: first every condition on what was there, then every new item, and only
   * then the change. Reports the first write whose condition failed. Throws `InvalidWrites` for what DynamoDB refuses as a request.
   */
  commit(writes: readonly JobWrite[]): Committed {
    const addresses = writes.map((write) => this.#addressOf(write.table, write.key));
    if (new Set(addresses).size !== addresses.length)
      throw new InvalidWrites('two writes of one transaction meet one item');
    const items = addresses.map((address) => this.#items.get(address)?.item);
    const index = writes.findIndex((write, i) => !isMet(write, items[i]));
    if (index >= 0) return { kind: 'condition-failed', index };
    const next = writes.map((write, i) => after(write, items[i]));
    writes.forEach((write, i) => {
      const item = next[i];
      const address = addresses[i] ?? '';
      if (item === undefined) this.#items.delete(address);
      else this.#items.set(address, { table: write.table, item: copyOf(item) });
    });
    return { kind: 'written' };
  }

  item(table: string, key: Key): Item | undefined {
    return copyOf(this.#items.get(this.#addressOf(table, key))?.item);
  }

  items(table: string): readonly Item[] {
    return [...this.#items.values()].filter((entry) => entry.table === table).map((entry) => copyOf(entry.item));
  }

  #addressOf(table: string, key: Key): string {
    if (this.#known && !this.#known.has(table)) throw new InvalidWrites(`there is no table called "${table}"`);
    return JSON.stringify([table, ...Object.entries(key).toSorted(([a], [b]) => (a < b ? -1 : 1))]);
  }
}

/** A check without a condition asks whether the item is there. */
const isMet = (write: JobWrite, item: Item | undefined): boolean => {
  if (write.condition === undefined) return write.kind !== 'check' || item !== undefined;
  return holds(write.condition, item);
};

const after = (write: JobWrite, item: Item | undefined): Item | undefined => {
  switch (write.kind) {
    case 'put':
      return { ...write.item, ...write.key };
    case 'update':
      return updated(write.update, item, write.key);
    case 'delete':
      return undefined;
    case 'check':
      return item;
  }
};
