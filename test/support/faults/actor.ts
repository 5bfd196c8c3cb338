import { AsyncLocalStorage } from 'node:async_hooks';
import { brokenConnection, type Fault } from './fault.ts';
import type { Injection } from './injection.ts';

/** The actor on whose behalf the code runs; calls made outside of any are the test's own. */
export const currentActor = new AsyncLocalStorage<Actor>();

export type Ran<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** The process is gone, in the middle of a call. */
  | { readonly kind: 'ended' };

/** What the actors of one case have in common. */
export interface Stage {
  /** The one fault of this case. */
  readonly fault: Fault | undefined;
  readonly injections: readonly Injection[];
  /** The calls so far, in their order. */
  readonly calls: string[];
  /** What happened, for whoever reads a failure. */
  readonly story: string[];
  fired: boolean;
}

/**
 * One process: an invocation of the API, of a consumer, of the reconciler, or the poller that acknowledges. Its calls
 * have names that are the same in each run of the same history, so that a fault can be put at one of them.
 */
export class Actor {
  readonly name: string;
  readonly #stage: Stage;
  readonly #made = new Map<string, number>();
  readonly #end = Promise.withResolvers<void>();
  #last: Promise<void> = Promise.resolve();
  #sending: Promise<unknown> | undefined;
  #ended = false;

  constructor(name: string, stage: Stage) {
    this.name = name;
    this.#stage = stage;
  }

  /** Runs its work to the end, or to the moment when the fault ends it; what it had sent before is carried out by then. */
  async run<T>(work: () => Promise<T>): Promise<Ran<T>> {
    const working = currentActor.run(this, work).then(
      (value): Ran<T> => ({ kind: 'answered', value }),
      (error: unknown): Ran<T> => ({ kind: 'threw', error }),
    );
    const ran = await Promise.race([working, this.#end.promise.then((): Ran<T> => ({ kind: 'ended' }))]);
    this.#stage.story.push(`${this.name}: ${ran.kind}`);
    return ran;
  }

  /** Names the call as it is about to be made. */
  meet(command: string): string {
    const name = command.replace(/Command$/, '');
    const nth = (this.#made.get(name) ?? 0) + 1;
    this.#made.set(name, nth);
    const call = `${this.name} › ${name}${nth > 1 ? ` ${nth}` : ''}`;
    if (!this.#ended) this.#stage.calls.push(call);
    return call;
  }

  /** Carries out one try of a call, or does to it what the fault says. */
  async carry<T>(call: string, tries: number, send: () => Promise<T>): Promise<T> {
    if (this.#ended) return forever();
    const injection = this.#stage.injections.find((candidate) => candidate.meets(call));
    const { fault } = this.#stage;
    if (fault?.call !== call) return this.#send(() => (injection ? injection.answer(send, call, tries) : send()));
    this.#stage.fired = true;
    if (tries === 1) this.#stage.story.push(`${call}: ${fault.kind}`);
    switch (fault.kind) {
      case 'never sent':
        throw brokenConnection();
      case 'worker ends before':
        return this.#stop();
      case 'worker ends after':
        await this.#send(send).catch(() => undefined);
        return this.#stop();
      case 'answers lost':
        await this.#send(send).catch(() => undefined);
        throw brokenConnection();
      case 'first answer lost':
        if (tries > 1) return this.#send(send);
        await this.#send(send).catch(() => undefined);
        throw brokenConnection();
    }
  }

  /** One at a time, in the order in which they were made: only so is the order of all later calls the same in each run. */
  async #send<T>(send: () => Promise<T>): Promise<T> {
    const sent = this.#last.then(() => {
      if (this.#ended) return forever<T>();
      const sending = send();
      this.#sending = sending;
      return sending;
    });
    this.#last = sent.then(
      () => undefined,
      () => undefined,
    );
    const answer = await sent;
    return this.#ended ? forever<T>() : answer;
  }

  async #stop<T>(): Promise<T> {
    this.#ended = true;
    await Promise.allSettled([this.#sending]);
    this.#end.resolve();
    return forever();
  }
}

/** Whoever waits for this is gone. */
const forever = <T>(): Promise<T> => new Promise<T>(() => undefined);
