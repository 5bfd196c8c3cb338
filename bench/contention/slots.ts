import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { systemRandom } from '#adapters/system-world.ts';
import { refusedByView } from '#core/admission.ts';
import { evenCaps, shardCount } from '#core/capacity.ts';
import { productionLimits } from '#core/limits.ts';
import { makeToken } from '#core/slot.ts';
import { SlotView } from '#flow/slot-view.ts';
import { takeSlot } from '#flow/take-slot.ts';
import type { World } from '#flow/world.ts';
import type { SlotRegistry } from '#functions/ports.ts';
import { connectionTo, type Place } from '#test/support/workers/place.ts';
import { openRegistry } from '#test/support/workers/registry.ts';
import { worldOn } from '#test/support/workers/world.ts';
import { type Ask, type Judgement, judge } from './refusals.ts';

export interface SlotLoad {
  readonly capacity: number;
  /** All other slots are taken before, spread over the shards, and stay so. */
  readonly room: number;
  /** Instances of the API, each with a memory of its own, that ask at the same time, one ask after another. */
  readonly writers: number;
  readonly asksEach: number;
}

export interface SlotRow extends SlotLoad, Judgement {
  readonly taken: number;
  readonly failed: number;
  readonly callsPerTaken: number;
  readonly callsPerRefused: number;
  /** Taken slots at the end beyond those from before. */
  readonly leftBehind: number;
}

/** How long a slot is held, and how long an instance waits for its next request, at most. */
const holdMsMax = 60;
const pauseMsMax = 40;

/** As long as a view may refuse by itself, by a clock of whole milliseconds. */
const memoryMs = productionLimits.viewMaxAgeSeconds * 1_000 + 1;

const silent = { note: () => undefined, gauge: () => undefined };

/** Fills the registry up to the room that is asked for; what is free is spread over the shards, one here and one there. */
const fill = async (slots: SlotRegistry, { capacity, room }: SlotLoad): Promise<void> => {
  await openRegistry(slots, capacity);
  const shards = shardCount(capacity);
  for (const [shard, cap] of evenCaps(capacity, shards).entries()) {
    const free = Math.floor(room / shards) + (shard < room % shards ? 1 : 0);
    const tokens = Array.from({ length: cap - free }, () =>
      makeToken(systemRandom.hex(16), systemRandom.hex(6), Date.now()),
    );
    if (tokens.length > 0 && (await slots.takeMany(shard, tokens, cap)) !== 'taken')
      throw new Error(`shard ${shard} could not be filled`);
  }
};

const takenIn = async (slots: SlotRegistry, capacity: number): Promise<number> => {
  const shards = await slots.readShards(Array.from({ length: shardCount(capacity) }, (_, i) => i));
  return shards.reduce((sum, shard) => sum + (shard?.members.length ?? 0), 0);
};

/** One instance of the API. It asks as a submission does, and gives the slot back as a consumer does. */
class Writer {
  readonly asks: Ask[] = [];
  readonly #number: number;
  readonly #world: World;
  readonly #view: SlotView;
  #calls = 0;
  #looked = false;
  #triedAt: number | undefined;

  constructor(number: number, place: Place, capacity: number) {
    this.#number = number;
    const dynamo = new DynamoDBClient(connectionTo(place));
    const world = worldOn(place, { dynamo, limits: { ...productionLimits, capacity }, telemetry: silent });
    this.#world = { ...world, slots: this.#counted(world.slots) };
    this.#view = new SlotView(this.#world);
  }

  async work(asks: number): Promise<void> {
    for (let i = 0; i < asks; i += 1) {
      await this.#ask();
      await sleep(this.#world.random.next() * pauseMsMax);
    }
  }

  async #ask(): Promise<void> {
    this.#calls = 0;
    this.#looked = false;
    this.#triedAt = undefined;
    const from = performance.now();
    const slot = await this.#take();
    const to = performance.now();
    const ask = { writer: this.#number, from, to, looked: this.#looked, calls: this.#calls, triedAt: this.#triedAt };
    if (slot === 'failed' || slot === 'refused') {
      this.asks.push({ ...ask, answer: slot });
      return;
    }
    await sleep(this.#world.random.next() * holdMsMax);
    const freeing = performance.now();
    await this.#world.slots.free(slot.shard, [slot.token]);
    this.asks.push({ ...ask, answer: 'taken', freed: { from: freeing, to: performance.now() } });
  }

  async #take() {
    try {
      if (refusedByView(this.#view.current, this.#world.clock.now(), this.#world.limits)) return 'refused';
      const job = { id: this.#world.random.hex(16), scope: `writer/${this.#number}` };
      const taking = await takeSlot(this.#world, this.#view, job);
      return taking.kind === 'taken' ? taking.slot : 'refused';
    } catch {
      return 'failed';
    }
  }

  /** Each call of the registry is one call to DynamoDB, as long as it reads no more than a hundred shards. */
  #counted(slots: SlotRegistry): SlotRegistry {
    return new Proxy(slots, {
      get: (real, name: keyof SlotRegistry) => {
        this.#calls += 1;
        if (name === 'take') this.#triedAt = performance.now();
        this.#looked ||= name === 'take' || name === 'readShards';
        return real[name].bind(real);
      },
    });
  }
}

const per = (asks: readonly Ask[]): number => asks.reduce((sum, ask) => sum + ask.calls, 0) / Math.max(1, asks.length);

/** Many instances take and free slots of one registry near its bound, on the real adapter. */
export const contendForSlots = async (place: Place, load: SlotLoad): Promise<SlotRow> => {
  const { capacity, room, asksEach } = load;
  const dynamo = new DynamoDBClient(connectionTo(place));
  const { slots } = worldOn(place, { dynamo, limits: productionLimits, telemetry: silent });
  await fill(slots, load);
  const writers = Array.from({ length: load.writers }, (_, i) => new Writer(i, place, capacity));
  await Promise.all(writers.map((writer) => writer.work(asksEach)));
  const asks = writers.flatMap((writer) => writer.asks);
  const answered = (answer: Ask['answer']) => asks.filter((ask) => ask.answer === answer);
  return {
    ...load,
    ...judge(asks, room, memoryMs),
    taken: answered('taken').length,
    failed: answered('failed').length,
    callsPerTaken: per(answered('taken')),
    callsPerRefused: per(answered('refused')),
    leftBehind: (await takenIn(slots, capacity)) - (capacity - room),
  };
};
