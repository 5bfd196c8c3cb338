import { mayTake } from '#core/admission.ts';
import type { Control, Drain } from '#core/control.ts';
import { type Shard, type Slot, tokenTag } from '#core/slot.ts';
import type { ShardWritten, SlotRegistry } from '#functions/ports.ts';
import { copyOf } from './copy.ts';
import { writerOfThisCall } from './writer.ts';

/** The registry of slots in memory. No method awaits anything inside, so each call is one atomic step. */
export class MemorySlotRegistry implements SlotRegistry {
  #control: Control | undefined;
  #controlWriter: object | undefined;
  readonly #shards = new Map<number, Shard>();
  /** Tokens that were taken under a quota, by shard and tag. */
  readonly #underQuota = new Map<string, ReadonlySet<string>>();

  async readControl(): Promise<Control | undefined> {
    return copyOf(this.#control);
  }

  async createControl(control: Control): Promise<void> {
    this.#control ??= copyOf(control);
  }

  async changeControl(next: Control): Promise<boolean> {
    const writer = writerOfThisCall();
    if (this.#controlWriter === writer) return true;
    if (this.#control?.version !== next.version - 1) return false;
    this.#control = copyOf(next);
    this.#controlWriter = writer;
    return true;
  }

  /** Only the version in force can be marked: a slow dealer of an older one has nothing to say any more. */
  async markDealt(version: number): Promise<void> {
    if (this.#control?.version !== version) return;
    this.#control = { ...this.#control, dealtVersion: version };
  }

  async noteDrain(version: number, intake: Control['intake'], drain: Drain): Promise<boolean> {
    if (this.#control?.version !== version) return false;
    this.#control = { ...this.#control, intake, drain: copyOf(drain) };
    return true;
  }

  async readShards(indexes: readonly number[]): Promise<readonly (Shard | undefined)[]> {
    return indexes.map((index) => copyOf(this.#shards.get(index)));
  }

  async createShard(shard: Omit<Shard, 'members'>): Promise<void> {
    if (!this.#shards.has(shard.index)) this.#shards.set(shard.index, { ...copyOf(shard), members: [] });
  }

  async take(slot: Slot, tenantMax?: number): Promise<'taken' | 'full' | 'closed' | 'absent' | 'tenant-full'> {
    if (tenantMax === 0) return 'tenant-full';
    const shard = this.#shards.get(slot.shard);
    if (shard === undefined) return 'absent';
    if (!mayTake(shard, slot.token)) return shard.open ? 'full' : 'closed';
    if (!shard.members.includes(slot.token)) {
      const tag = `${slot.shard}/${tokenTag(slot.token)}`;
      const held = shard.members.filter((token) => this.#underQuota.get(tag)?.has(token)).length;
      if (tenantMax !== undefined && held >= tenantMax) return 'tenant-full';
      if (tenantMax !== undefined)
        this.#underQuota.set(tag, new Set([...(this.#underQuota.get(tag) ?? []), slot.token]));
      this.#shards.set(shard.index, { ...shard, members: [...shard.members, slot.token] });
    }
    return 'taken';
  }

  async takeMany(shard: number, tokens: readonly string[], readCap: number): Promise<'taken' | 'moved'> {
    const there = this.#shards.get(shard);
    if (there === undefined || tokens.length === 0) return 'moved';
    if (tokens.every((token) => there.members.includes(token))) return 'taken';
    const fits = there.open && there.cap === readCap && there.members.length + tokens.length <= there.cap;
    if (!fits) return 'moved';
    this.#shards.set(shard, { ...there, members: [...new Set([...there.members, ...tokens])] });
    return 'taken';
  }

  async free(shard: number, tokens: readonly string[]): Promise<void> {
    const there = this.#shards.get(shard);
    if (there === undefined) return;
    this.#shards.set(shard, { ...there, members: there.members.filter((token) => !tokens.includes(token)) });
  }

  async writeShard(
    next: Omit<Shard, 'members'>,
    read: Pick<Shard, 'cap' | 'version'> | undefined,
  ): Promise<ShardWritten> {
    const there = this.#shards.get(next.index);
    if (there !== undefined && there.version > next.version) return { kind: 'superseded' };
    if (there !== undefined && isAsWanted(there, next)) return { kind: 'written', shard: copyOf(there) };
    if (there !== undefined && (there.cap !== read?.cap || there.version !== read.version))
      return { kind: 'cap-changed', shard: copyOf(there) };
    const shard: Shard = { ...copyOf(next), members: there?.members ?? [] };
    this.#shards.set(shard.index, shard);
    return { kind: 'written', shard: copyOf(shard) };
  }

  /** Test side: every shard, by index. */
  shards(): readonly Shard[] {
    return [...this.#shards.values()].toSorted((a, b) => a.index - b.index).map(copyOf);
  }

  /** Test side: every token that holds a slot. */
  tokens(): readonly string[] {
    return this.shards().flatMap((shard) => shard.members);
  }
}

/** A write that finds its own values there has been made, by itself or by who finishes the same version. */
const isAsWanted = (there: Shard, next: Omit<Shard, 'members'>): boolean =>
  there.version === next.version && there.cap === next.cap && there.open === next.open;
