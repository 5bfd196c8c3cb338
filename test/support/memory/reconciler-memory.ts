import type { ReconcilerMemory, RunMemory } from '#functions/ports.ts';
import { copyOf } from './copy.ts';

/** The reconciler's lock and memory. Each call is one atomic step. */
export class MemoryReconcilerMemory implements ReconcilerMemory {
  #lock: { readonly owner: string; readonly until: number } | undefined;
  #memory: RunMemory = { seen: [], fromShard: 0, lastRunAt: 0 };

  async acquire(
    owner: string,
    now: number,
    until: number,
  ): Promise<{ kind: 'acquired'; memory: RunMemory } | { kind: 'busy' }> {
    const held = this.#lock !== undefined && this.#lock.owner !== owner && now < this.#lock.until;
    if (held) return { kind: 'busy' };
    this.#lock = { owner, until };
    return { kind: 'acquired', memory: copyOf(this.#memory) };
  }

  /** A run that was overtaken has nothing to say any more, so its memory is dropped. */
  async release(owner: string, memory: RunMemory): Promise<void> {
    if (this.#lock?.owner !== owner) return;
    this.#lock = undefined;
    this.#memory = copyOf(memory);
  }

  /** Test side: what the last run that ended in order left. */
  current(): RunMemory {
    return copyOf(this.#memory);
  }
}
