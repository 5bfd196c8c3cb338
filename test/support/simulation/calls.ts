import { ServiceFault } from '../memory/faults.ts';
import { asWriter } from '../memory/writer.ts';
import type { Actor, Timeline } from './timeline.ts';
import type { Trace } from './trace.ts';
import { Violation } from './violation.ts';
import type { Faults, PortName } from './weather.ts';

export interface Landed {
  readonly actor: Actor;
  readonly port: PortName;
  readonly method: string;
  readonly args: readonly unknown[];
  readonly result: unknown;
}

/** Called right after a call took effect, before anybody knows of it. Throws `Violation`. */
export type AfterCall = (landed: Landed) => void | Promise<void>;

/**
 * The seam between the system and its doubles. A call travels, lands in one atomic step, and its answer travels back;
 * others move in between. What was sent lands even if its sender has ended.
 */
export class Calls {
  readonly #timeline: Timeline;
  readonly #faults: Faults;
  readonly #trace: Trace;
  readonly #afterCall: AfterCall;

  constructor(timeline: Timeline, faults: Faults, trace: Trace, afterCall: AfterCall) {
    this.#timeline = timeline;
    this.#faults = faults;
    this.#trace = trace;
    this.#afterCall = afterCall;
  }

  /** The port as this actor sees it. */
  through<P extends object>(actor: Actor, name: PortName, port: P): P {
    return new Proxy(port, {
      get: (target, property) => {
        const member: unknown = Reflect.get(target, property, target);
        if (typeof member !== 'function' || typeof property === 'symbol') return member;
        return (...args: unknown[]) =>
          this.#call(actor, name, property, args, () => Reflect.apply(member, target, args) as unknown);
      },
    });
  }

  #call(actor: Actor, port: PortName, method: string, args: unknown[], perform: () => unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      // Whoever has ended waits for ever: its code never goes on.
      if (!actor.alive) return;
      actor.calls += 1;
      const fate = this.#faults.fateOf(actor, port, method, this.#timeline.now);
      const writer = {};
      const land = () => this.#land(actor, port, method, args, () => asWriter(writer, perform), fate.kind);
      const answer = (result: unknown) => this.#timeline.after(fate.responseMs, actor, () => resolve(result));
      const fail = () =>
        this.#timeline.after(fate.responseMs, actor, () => reject(new ServiceFault(`${method}: ${fate.kind}`)));
      const onArrival = (then: () => void | Promise<void>) => {
        this.#timeline.after(fate.requestMs, undefined, then);
      };
      switch (fate.kind) {
        case 'fine':
        case 'slow':
          return onArrival(async () => void answer(await land()));
        case 'request-lost':
          this.#trace.call(actor, port, method, args, fate.kind);
          return void fail();
        case 'response-lost':
          return onArrival(async () => {
            await land();
            fail();
          });
        case 'repeated':
          return onArrival(async () => {
            await land();
            this.#timeline.after(fate.extraMs, undefined, async () => void answer(await land()));
          });
        case 'ghost':
          return onArrival(async () => {
            answer(await land());
            this.#timeline.after(fate.extraMs, undefined, async () => void (await land()));
          });
        case 'late':
          this.#timeline.after(fate.requestMs + fate.extraMs, undefined, async () => void (await land()));
          return void fail();
        case 'crash-before':
          this.#trace.call(actor, port, method, args, fate.kind);
          actor.alive = false;
          return;
        case 'crash-sent':
          actor.alive = false;
          return onArrival(async () => void (await land()));
        case 'freeze':
          return onArrival(async () => {
            const result = await land();
            actor.frozenUntil = this.#timeline.now + fate.extraMs;
            answer(result);
          });
        case 'contended':
          this.#trace.call(actor, port, method, args, fate.kind);
          return void answer({ kind: 'contended' });
      }
    });
  }

  async #land(
    actor: Actor,
    port: PortName,
    method: string,
    args: readonly unknown[],
    perform: () => unknown,
    fate: string,
  ): Promise<unknown> {
    let result: unknown;
    try {
      result = await perform();
    } catch (error) {
      // The doubles throw only for what no caller may ask for.
      throw new Violation('contract', `${actor.name} ${port}.${method}: ${String(error)}`);
    }
    this.#trace.call(actor, port, method, args, fate, result);
    await this.#afterCall({ actor, port, method, args, result });
    return result;
  }
}
