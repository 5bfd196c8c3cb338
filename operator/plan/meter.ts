import type { Asked } from './api-instance.ts';
import type { EventQueue } from './event-queue.ts';
import type { Observed } from './observed.ts';
import type { Slots } from './slots.ts';

const nothing = () => ({
  asked: { takes: 0, takesRefused: 0, controlReads: 0, shardReads: 0, backlogReads: 0 } satisfies Asked,
  refused: 0,
  starts: 0,
  retries: 0,
  succeeded: 0,
  dead: 0,
  batches: 0,
  batchSeconds: 0,
  frees: 0,
});

/** Counts between `begin` and `end`; what happens before and after counts for nothing. */
export class Meter {
  readonly #events: EventQueue;
  readonly #slots: Slots;
  readonly #takenSeconds: number[] = [];
  #receivedSeconds = 0;
  #state: 'warm-up' | 'counting' | 'over' = 'warm-up';
  #from = 0;
  #to = 0;
  #passedTo = 0;
  #counts = nothing();
  /** Messages received and not yet deleted. */
  received = 0;
  readonly waits: number[] = [];

  constructor(events: EventQueue, slots: Slots) {
    this.#events = events;
    this.#slots = slots;
  }

  get counts(): ReturnType<typeof nothing> {
    return this.#counts;
  }

  get isCounting(): boolean {
    return this.#state === 'counting';
  }

  begin(): void {
    this.#state = 'counting';
    this.#counts = nothing();
    this.#from = this.#events.now;
    this.#passedTo = this.#from;
  }

  /** From here on counts go where nobody looks. */
  end(arrivals: number, overflowed: boolean): () => Observed {
    this.passTime();
    this.#to = this.#events.now;
    this.#state = 'over';
    const { asked, ...counted } = this.#counts;
    this.#counts = nothing();
    const seconds = (this.#to - this.#from) / 1000;
    return () => ({
      ...asked,
      ...counted,
      overflowed,
      seconds,
      arrivals,
      waits: Float64Array.from(this.waits).sort(),
      takenSeconds: Array.from(this.#takenSeconds, (time) => time ?? 0),
      received: this.#receivedSeconds / seconds,
    });
  }

  /** To be called before each change of the slots taken or the messages received. */
  passTime(): void {
    const seconds = (this.#events.now - this.#passedTo) / 1000;
    this.#passedTo = this.#events.now;
    if (!this.isCounting) return;
    this.#takenSeconds[this.#slots.taken] = (this.#takenSeconds[this.#slots.taken] ?? 0) + seconds;
    this.#receivedSeconds += this.received * seconds;
  }
}
