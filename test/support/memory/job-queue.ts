import type { Job } from '#core/job.ts';
import type { Limits } from '#core/limits.ts';
import { formatMessage } from '#core/message.ts';
import type { Backlog, BurialAttributes, Clock, DeadLetter, JobQueue, Outgoing } from '#functions/ports.ts';
import type { SeededRandom } from './random.ts';
import { type Delivery, StandardQueue } from './standard-queue.ts';

export interface Attributes {
  readonly suspectPutOffs?: number;
  readonly burial?: BurialAttributes;
}

/** A message as the event source mapping hands it to the consumer. */
export type Received = Omit<Delivery<unknown>, 'attributes'> & { readonly suspectPutOffs: number };

/** The main queue with its redrive policy, and its dead-letter queue. Each call is one atomic step. */
export class MemoryJobQueue implements JobQueue {
  readonly #limits: Pick<Limits, 'visibilitySeconds' | 'attemptsMax'>;
  readonly #main: StandardQueue<Attributes>;
  readonly #dead: StandardQueue<Attributes>;

  /** With `random` messages come in any order, as a standard queue may bring them. */
  constructor(clock: Clock, limits: Pick<Limits, 'visibilitySeconds' | 'attemptsMax'>, random?: SeededRandom) {
    this.#limits = limits;
    this.#main = new StandardQueue('main', clock, random);
    this.#dead = new StandardQueue('dead', clock, random);
  }

  async send(
    message: Pick<Job, 'id' | 'fingerprint' | 'tenure'>,
    delaySeconds: number,
    suspectPutOffs?: number,
  ): Promise<void> {
    this.#main.send(formatMessage(message), suspectPutOffs === undefined ? {} : { suspectPutOffs }, delaySeconds);
  }

  async sendMany(messages: readonly Outgoing[]): Promise<ReadonlySet<string>> {
    for (const { message, delaySeconds } of messages) await this.send(message, delaySeconds);
    return new Set();
  }

  async look(): Promise<Backlog> {
    return this.#main.counts();
  }

  async setVisibility(receipt: string, seconds: number): Promise<boolean> {
    return this.#main.setVisibility(receipt, seconds);
  }

  async bury(body: string, attributes: BurialAttributes): Promise<void> {
    this.#dead.send(body, { burial: { ...attributes } });
  }

  async receiveDead(hiddenSeconds: number): Promise<readonly DeadLetter[]> {
    return this.#dead.receive(10, hiddenSeconds).map(({ messageId, receipt, body, attributes }) => {
      const strayId = attributes.burial?.strayId;
      return strayId === undefined ? { messageId, receipt, body } : { messageId, receipt, body, strayId };
    });
  }

  async deleteDead(receipt: string): Promise<void> {
    this.#dead.delete(receipt);
  }

  async lookDead(): Promise<Backlog> {
    return this.#dead.counts();
  }

  async releaseDead(receipt: string, afterSeconds: number): Promise<void> {
    this.#dead.setVisibility(receipt, afterSeconds);
  }

  /**
   * The mapping's own receive. A message that was received as often as the redrive policy allows goes to the dead-letter
   * queue now, when it would be received once more; until then it counts as visible.
   */
  receive(max = 10): readonly Received[] {
    for (const message of this.#main.takeReceived(this.#limits.attemptsMax)) this.#dead.adopt(message);
    return this.#main.receive(max, this.#limits.visibilitySeconds).map(({ attributes, ...delivery }) => ({
      ...delivery,
      suspectPutOffs: attributes.suspectPutOffs ?? 0,
    }));
  }

  /** The mapping deletes what a batch did not report as failed. False: the receipt was no longer the newest. */
  acknowledge(receipt: string): boolean {
    return this.#main.delete(receipt);
  }

  /** A reported failure: the mapping leaves the message, which is seen again when its visibility ends. */
  fail(receipt: string): boolean {
    return this.#main.peek().some((message) => message.receipt === receipt);
  }

  /** Sends any text, as a stranger with access to the queue could. */
  sendRaw(body: string, delaySeconds = 0): string {
    return this.#main.send(body, {}, delaySeconds);
  }

  /** Lets a message that somebody is working on be received by another too. */
  deliverAgain(messageId: string): void {
    this.#main.show(messageId);
  }

  messages() {
    return this.#main.peek();
  }

  deadLetters() {
    return this.#dead.peek();
  }

  /** When the next message of the main queue becomes visible, if one does. */
  nextVisibleAt(): number | undefined {
    return this.#main.nextVisibleAt();
  }
}
