import { randomBytes } from 'node:crypto';
import { systemClock } from '#adapters/system-world.ts';
import { NoAnswerError } from '../../../operator/client.ts';
import type { System } from '../../drills/support/system.ts';
import { chooseKind } from './kinds.ts';
import type { Wanted } from './verdict.ts';

const clients = 4;
/** Between two jobs of one client, at most. */
const pauseMsMax = 500;
const hotAccounts = 3;
/** Parts of the jobs. */
const [onHotAccount, sentTwice, sentOtherwise, cancelled] = [0.25, 0.2, 0.05, 0.08];
const triesMax = 200;
const againMs = 400;

/** Clients that submit jobs of all kinds, some twice, some cancelled, until they are stopped; and what they were answered. */
export class Load {
  readonly wanted: Wanted[] = [];
  /** How often each answer came. */
  readonly answers = new Map<string, number>();
  /** Answers that no caller may get. */
  readonly faults: string[] = [];
  readonly run = `soak-${randomBytes(4).toString('hex')}`;
  /** Jobs that end their process come only while this holds. */
  readonly #killers: () => boolean;
  readonly #system: System;

  constructor(system: System, killers: () => boolean) {
    this.#system = system;
    this.#killers = killers;
  }

  /** Submits until the signal is aborted. */
  async submitUntil(stop: AbortSignal): Promise<void> {
    const client = async () => {
      while (!stop.aborted) {
        await this.#oneJob(stop);
        await systemClock.wait(Math.random() * pauseMsMax, stop);
      }
    };
    await Promise.all(Array.from({ length: clients }, client));
  }

  /** Submits so many that are to succeed, at once and one try each. */
  async submitPlain(count: number): Promise<void> {
    const many = Array.from({ length: count }, () => this.#want(0));
    await Promise.all(many.map((one) => this.#submit(one, one.amount)));
  }

  async #oneJob(stop: AbortSignal): Promise<void> {
    const one = this.#want(Math.random());
    const twice = Math.random() < sentTwice;
    await Promise.all([this.#submitUntilTaken(one, stop), ...(twice ? [this.#submitUntilTaken(one, stop)] : [])]);
    const [id] = one.ids;
    if (id === undefined) return;
    if (Math.random() < sentOtherwise) await this.#submitOtherwise(one);
    if (Math.random() < cancelled) await this.#cancel(one, id);
  }

  #want(random: number): Wanted {
    const n = this.wanted.length;
    const account = Math.random() < onHotAccount ? `hot-${n % hotAccounts}` : String(n);
    const one: Wanted = {
      key: `${this.run}.${n}`,
      kind: chooseKind(random, this.#killers()),
      account: `${this.run}-${account}`,
      amount: 1 + Math.floor(Math.random() * 1_000),
      ids: new Set(),
      cancelAsked: false,
    };
    this.wanted.push(one);
    return one;
  }

  /** As a client does it: the same request under the same key, until it is in or time is up. */
  async #submitUntilTaken(one: Wanted, stop: AbortSignal): Promise<void> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      if ((await this.#submit(one, one.amount)) !== 'again' || stop.aborted) return;
      await systemClock.wait(againMs, stop);
    }
    this.faults.push(`${one.key} was refused ${triesMax} times`);
  }

  async #submit(one: Wanted, amount: number): Promise<'in' | 'again' | 'conflict' | 'fault'> {
    const { kind, account, key } = one;
    const answer = await this.#answer('submit', () =>
      this.#system.submit(key, kind.type, { account, amount, ...kind.script }, kind.options),
    );
    if (answer === undefined) return 'again';
    const { status, body } = answer;
    if (status === 202 || status === 200) {
      if (amount !== one.amount) this.faults.push(`G4: ${key} was answered ${status} for another request`);
      one.ids.add(body.id);
      return 'in';
    }
    if (status === 429 || status === 503) return 'again';
    if (status === 422 && amount !== one.amount) return 'conflict';
    this.faults.push(`a submission of ${key} was answered ${status}: ${JSON.stringify(body)}`);
    return 'fault';
  }

  /** Another request under a key that is taken. */
  async #submitOtherwise(one: Wanted): Promise<void> {
    await this.#submit(one, one.amount + 1);
  }

  async #cancel(one: Wanted, id: string): Promise<void> {
    one.cancelAsked = true;
    const answer = await this.#answer('cancel', () => this.#system.call('POST', `/jobs/${id}/cancel`));
    if (answer !== undefined && ![200, 202, 409, 503].includes(answer.status))
      this.faults.push(`a cancel of ${one.key} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  }

  async #answer<T extends { readonly status: number }>(what: string, ask: () => Promise<T>): Promise<T | undefined> {
    const answer = await ask().catch((error: unknown) => {
      if (!(error instanceof NoAnswerError)) throw error;
      this.faults.push(`a ${what} got no answer: ${error.message}`);
      return undefined;
    });
    const name = `${what} ${answer?.status ?? 'unanswered'}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    return answer;
  }
}
