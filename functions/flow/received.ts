/** One received message, freed of SQS's form. */
export interface Received {
  readonly messageId: string;
  readonly receipt: string;
  readonly body: string;
  readonly receiveCount: number;
  /** A hint of ours: how often this suspect was put off. */
  readonly putOffs: number;
}

/** The message stays in the queue: SQS counts the receive and, after the last one, moves it. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}
