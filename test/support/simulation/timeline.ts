import { epoch } from '../memory/clock.ts';
import { SeededRandom } from '../memory/random.ts';

/** Whoever makes calls: an instance of a Lambda with a clock of its own. What is scheduled for it dies with it. */
export class Actor {
  readonly name: string;
  /** How far its clock is from the true time. */
  readonly skewMs: number;
  /** Decides about its calls, so that what happens to one actor does not shift the fate of another. */
  readonly fates: SeededRandom;
  alive = true;
  /** Until when nothing of it goes on, as in a sandbox between two invocations. */
  frozenUntil = 0;
  calls = 0;

  constructor(seed: number, name: string, skewMaxMs: number) {
    this.name = name;
    this.fates = new SeededRandom(hash32(`${seed}/${name}`));
    this.skewMs = Math.round((this.fates.next() * 2 - 1) * skewMaxMs);
  }
}

/** FNV-1a, to make one seed of another and a name. */
export const hash32 = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
};

export interface Scheduled {
  readonly at: number;
  readonly order: number;
  readonly actor: Actor | undefined;
  readonly run: () => void | Promise<void>;
  /** Comes again for ever, so it does not count as something that is still under way. */
  readonly recurring: boolean;
  cancelled: boolean;
}

/** Lets everything that is not waiting for a scheduled event run. */
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/**
 * The one order of events. Time jumps from one to the next, and only one of them happens at a time; between two of them
 * all code of the system runs until it waits for a call or for time. Nothing else moves it, so a seed is a history.
 */
export class Timeline {
  now = epoch;
  steps = 0;
  #order = 0;
  #underWay = 0;
  readonly #heap: Scheduled[] = [];

  /** Events that are neither recurring nor of a dead actor, about: those of the dead leave when their time comes. */
  get underWay(): number {
    return this.#underWay;
  }

  at(time: number, actor: Actor | undefined, run: Scheduled['run'], recurring = false): Scheduled {
    this.#order += 1;
    const event = {
      at: Math.max(Math.round(time), this.now),
      order: this.#order,
      actor,
      run,
      recurring,
      cancelled: false,
    };
    this.#push(event);
    return event;
  }

  after(ms: number, actor: Actor | undefined, run: Scheduled['run'], recurring = false): Scheduled {
    return this.at(this.now + ms, actor, run, recurring);
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, undefined, resolve);
    });
  }

  /** Makes the next event happen. False: there is none. */
  async step(): Promise<boolean> {
    const event = this.#pop();
    if (event === undefined) return false;
    if (event.cancelled || event.actor?.alive === false) return true;
    if (event.actor !== undefined && event.actor.frozenUntil > event.at) {
      this.#push({ ...event, at: event.actor.frozenUntil });
      return true;
    }
    this.now = Math.max(this.now, event.at);
    this.steps += 1;
    await event.run();
    await turn();
    return true;
  }

  #push(event: Scheduled): void {
    if (!event.recurring) this.#underWay += 1;
    const heap = this.#heap;
    let i = heap.push(event) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(event, heap[parent])) break;
      heap[i] = heap[parent] as Scheduled;
      i = parent;
    }
    heap[i] = event;
  }

  #pop(): Scheduled | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return undefined;
    if (!first.recurring) this.#underWay -= 1;
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1] as Scheduled, heap[child])) child += 1;
      if (!isBefore(heap[child] as Scheduled, last)) break;
      heap[i] = heap[child] as Scheduled;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

const isBefore = (a: Scheduled, b: Scheduled | undefined): boolean =>
  b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order));
