import { type AdmissionView, backlogExceeds } from '#core/admission.ts';
import { shardCount } from '#core/capacity.ts';
import type { Control } from '#core/control.ts';
import { bounds } from '#core/limits.ts';
import { RecentIds } from './recent-ids.ts';
import { readControl } from './registry.ts';
import type { World } from './world.ts';

/**
 * What one instance remembers of control item, shards and backlog, so that refusing costs nothing while nothing changes.
 * It can only refuse. Built once per instance and shared by its requests.
 */
export class SlotView {
  /** The jobs that it took in or met, so that their replays cost one read. */
  readonly recent = new RecentIds(bounds.recentIdsMax);
  #control: { readonly at: number; readonly value: Control } | undefined;
  #slots: AdmissionView['slots'];
  #withRoom: readonly number[] | undefined;
  #rooms: readonly Room[] = [];
  #backlog: { readonly at: number; readonly messages: number } | undefined;
  #looking: Promise<void> | undefined;
  #lean: number | undefined;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  get current(): AdmissionView {
    const capacity = this.#control?.value.capacity;
    return {
      slots: this.#slots,
      backlog: capacity === undefined || this.#backlog === undefined ? undefined : { ...this.#backlog, capacity },
    };
  }

  get withRoom(): readonly number[] | undefined {
    return this.#withRoom;
  }

  /** The shard in which this instance last found room; none while what it knows is that there is none. */
  leansOn(count: number): number | undefined {
    const { state } = this.#slots ?? { state: 'room' };
    return state === 'room' && this.#lean !== undefined && this.#lean < count ? this.#lean : undefined;
  }

  lean(shard: number | undefined): void {
    this.#lean = shard;
  }

  /** Shards with room for several, as a look of now found them; one read. */
  async lookForRoom(): Promise<readonly Room[]> {
    await this.refresh();
    return this.#rooms;
  }

  /** The control item of any age; reads it, or makes the first one, if this instance never did. */
  async control(): Promise<Control> {
    return this.#control?.value ?? this.#readControl();
  }

  /** True if the control item was older than the view may be, and has changed. */
  async controlChanged(): Promise<boolean> {
    const before = this.#control;
    if (before !== undefined && this.#isFresh(before.at)) return false;
    return (await this.#readControl()).version !== before?.value.version;
  }

  /** Reads control item and shards: which have room, and whether any does. No write. */
  async refresh(): Promise<void> {
    const now = this.#world.clock.now();
    const control = await this.#readControl();
    const active = Array.from({ length: shardCount(control.capacity) }, (_, i) => i);
    const shards = await this.#world.slots.readShards(active);
    // A shard that does not exist yet is as good as one with room: whoever takes there creates it.
    this.#withRoom = active.filter((i) => {
      const shard = shards[i];
      return shard === undefined || shard.members.length < shard.cap;
    });
    this.#rooms = active.flatMap((index) => {
      const shard = shards[index];
      const room = shard?.open ? shard.cap - shard.members.length : 0;
      return shard !== undefined && room > 0 ? [{ index, cap: shard.cap, room }] : [];
    });
    const closed = shards.some((shard) => shard !== undefined && !shard.open);
    this.#slots = { at: now, state: closed ? 'closed' : this.#withRoom.length === 0 ? 'full' : 'room' };
  }

  /** An old "full" or "closed" is looked at again before anything is written; an old "room" is simply tried. */
  async refreshIfOld(large: boolean): Promise<void> {
    const { at, state } = this.#slots ?? { at: 0, state: 'room' };
    if ((state !== 'room' || large) && !this.#isFresh(at)) await this.refresh();
  }

  mark(state: 'room' | 'full' | 'closed'): void {
    this.#slots = { at: this.#world.clock.now(), state };
  }

  /** True if the backlog, looked at no more than a second ago, exceeds the capacity. A failed look refuses nothing. */
  async backlogFull(): Promise<boolean> {
    if (this.#backlog === undefined || !this.#isFresh(this.#backlog.at)) {
      this.#looking ??= this.#look().finally(() => {
        this.#looking = undefined;
      });
      // The look may not hold up a submission: SQS's own trouble shows in the send.
      await Promise.race([this.#looking, this.#world.clock.wait(lookMaxMs)]);
    }
    const fresh = this.#backlog !== undefined && this.#isFresh(this.#backlog.at) ? this.#backlog : undefined;
    const exceeds = async () =>
      fresh !== undefined && backlogExceeds({ ...fresh, capacity: (await this.control()).capacity });
    // The capacity may have been raised since this instance read it.
    return (await exceeds()) && ((await this.controlChanged()) ? exceeds() : true);
  }

  async #look(): Promise<void> {
    try {
      const at = this.#world.clock.now();
      const { visible, notVisible, delayed } = await this.#world.queue.look();
      this.#backlog = { at, messages: visible + notVisible + delayed };
    } catch {
      this.#backlog = undefined;
    }
  }

  async #readControl(): Promise<Control> {
    const at = this.#world.clock.now();
    const value = await readControl(this.#world);
    this.#control = { at, value };
    return value;
  }

  #isFresh(at: number): boolean {
    const age = this.#world.clock.now() - at;
    return age >= 0 && age < this.#world.limits.viewMaxAgeSeconds * 1000;
  }
}

/** A shard that had room when it was looked at. */
export interface Room {
  readonly index: number;
  readonly cap: number;
  readonly room: number;
}

const lookMaxMs = 1_000;
