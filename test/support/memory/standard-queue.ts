import type { Clock } from '#functions/ports.ts';
import type { SeededRandom } from './random.ts';

interface Stored<A> {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: A;
  readonly sentAt: number;
  readonly receiveCount: number;
  /** Until when it is delayed or hidden, epoch milliseconds; from then on it is visible. */
  readonly hiddenUntil: number;
  readonly receipt?: string;
}

export interface Delivery<A> {
  readonly messageId: string;
  readonly receipt: string;
  readonly body: string;
  readonly attributes: A;
  readonly sentAt: number;
  /** This receive included. */
  readonly receiveCount: number;
}

/**
 * One SQS standard queue. Its order is no promise: with a random source visible messages come in any order, without one
 * in the order of their sends. Of a message's receipt handles only the newest counts. Retention is not modelled.
 */
export class StandardQueue<A> {
  readonly #name: string;
  readonly #clock: Clock;
  readonly #random: SeededRandom | undefined;
  readonly #messages = new Map<string, Stored<A>>();
  #made = 0;

  constructor(name: string, clock: Clock, random: SeededRandom | undefined) {
    this.#name = name;
    this.#clock = clock;
    this.#random = random;
  }

  send(body: string, attributes: A, delaySeconds = 0): string {
    assertWholeSeconds('a delay', delaySeconds, 900);
    this.#made += 1;
    const messageId = `${this.#name}-${this.#made}`;
    const now = this.#clock.now();
    const hiddenUntil = now + delaySeconds * 1000;
    this.#messages.set(messageId, { messageId, body, attributes, sentAt: now, receiveCount: 0, hiddenUntil });
    return messageId;
  }

  /** A message that another queue moved here: it keeps its id, body and attributes, and is visible at once. */
  adopt(message: Pick<Stored<A>, 'messageId' | 'body' | 'attributes' | 'sentAt'>): void {
    const { messageId, body, attributes, sentAt } = message;
    const hiddenUntil = this.#clock.now();
    this.#messages.set(messageId, { messageId, body, attributes, sentAt, receiveCount: 0, hiddenUntil });
  }

  receive(max: number, visibilitySeconds: number): readonly Delivery<A>[] {
    assertWholeSeconds('a visibility', visibilitySeconds, 43_200);
    const visible = this.#visible();
    return (this.#random?.shuffle(visible) ?? visible).slice(0, Math.min(10, max)).map((message) => {
      this.#made += 1;
      const receipt = `${message.messageId}/receipt-${this.#made}`;
      const receiveCount = message.receiveCount + 1;
      const hiddenUntil = this.#clock.now() + visibilitySeconds * 1000;
      this.#messages.set(message.messageId, { ...message, receipt, receiveCount, hiddenUntil });
      const { messageId, body, attributes, sentAt } = message;
      return { messageId, receipt, body, attributes, sentAt, receiveCount };
    });
  }

  /** Takes visible messages that were received `count` times or more out of the queue. */
  takeReceived(count: number): readonly Stored<A>[] {
    const taken = this.#visible().filter((message) => message.receiveCount >= count);
    for (const message of taken) this.#messages.delete(message.messageId);
    return taken;
  }

  /** True: deleted. SQS answers success either way, also when an older receipt deletes nothing. */
  delete(receipt: string): boolean {
    const message = this.#byReceipt(receipt);
    return message !== undefined && this.#messages.delete(message.messageId);
  }

  /** False where SQS answers with an error: the message is gone, not in flight any more, or has a newer receipt. */
  setVisibility(receipt: string, seconds: number): boolean {
    assertWholeSeconds('a visibility', seconds, 43_200);
    const message = this.#byReceipt(receipt);
    const now = this.#clock.now();
    if (message === undefined || message.hiddenUntil <= now) return false;
    this.#messages.set(message.messageId, { ...message, hiddenUntil: now + seconds * 1000 });
    return true;
  }

  /** Lets a hidden message be seen at once, as a standard queue may do to anyone: a duplicate delivery. */
  show(messageId: string): void {
    const message = this.#messages.get(messageId);
    if (message) this.#messages.set(messageId, { ...message, hiddenUntil: this.#clock.now() });
  }

  counts(): { readonly visible: number; readonly notVisible: number; readonly delayed: number } {
    const now = this.#clock.now();
    const all = [...this.#messages.values()];
    const hidden = all.filter((message) => message.hiddenUntil > now);
    const delayed = hidden.filter((message) => message.receiveCount === 0).length;
    return { visible: all.length - hidden.length, notVisible: hidden.length - delayed, delayed };
  }

  /** Every message without receiving it, which only a test can do. */
  peek(): readonly Stored<A>[] {
    return [...this.#messages.values()];
  }

  /** When the next hidden or delayed message becomes visible, if one does. */
  nextVisibleAt(): number | undefined {
    const now = this.#clock.now();
    const times = this.peek().map((message) => message.hiddenUntil);
    const later = times.filter((time) => time > now);
    return later.length > 0 ? Math.min(...later) : undefined;
  }

  #visible(): readonly Stored<A>[] {
    const now = this.#clock.now();
    return [...this.#messages.values()].filter((message) => message.hiddenUntil <= now);
  }

  #byReceipt(receipt: string): Stored<A> | undefined {
    return this.peek().find((message) => message.receipt === receipt);
  }
}

const assertWholeSeconds = (what: string, seconds: number, max: number): void => {
  if (!Number.isInteger(seconds) || seconds < 0 || seconds > max) {
    throw new RangeError(`${what} has whole seconds from 0 to ${max}, not ${seconds}`);
  }
};
