import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import { messageGroup } from '#core/identity.ts';
import { formatMessage } from '#core/message.ts';
import type { Backlog, BurialAttributes, DeadLetter, JobQueue, Outgoing, Sendable } from '#functions/ports.ts';

/** Message attributes of ours. They are hints and evidence; nothing is decided by them but the order within a batch. */
export const attributeNames = { putOffs: 'sluicePutOffs', reason: 'sluiceReason', strayId: 'sluiceStray' } as const;

/** SQS errors that say "that message is not yours any more": moved, deleted or received again. */
const goneNames = new Set([
  'MessageNotInflight',
  'ReceiptHandleIsInvalid',
  'InvalidParameterValue',
  'InvalidReceiptHandle',
]);
const isGone = (error: unknown): boolean => error instanceof Error && goneNames.has(error.name.split('.').at(-1) ?? '');

const text = (value: string) => ({ DataType: 'String', StringValue: value });

export interface SqsConfig {
  readonly client: SQSClient;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl?: string | undefined;
  /**
   * Send each tenant's messages in a group of its own, so that one tenant's backlog does not delay the others.
   * Source: "Amazon SQS fair queues" in the SQS guide (standard queues take a MessageGroupId since July 2025).
   */
  readonly fairQueues?: boolean | undefined;
  /**
   * The X-Ray header of the invocation that sends, so that the attempt goes on in the trace of its request.
   * Source: "AWSTraceHeader" among the message system attributes of SendMessage; it does not count as size.
   */
  readonly traceHeader?: (() => string | undefined) | undefined;
}

/**
 * What a trace header says by ids and numbers. A caller may begin a trace itself and write more into its header; that
 * would travel with the message, and stand beside it in the dead-letter queue.
 */
const knownTraceParts =
  /^Root=1-[0-9a-f]{8}-[0-9a-f]{24}(;Parent=[0-9a-f]{16})?(;Sampled=[01])?(;Lineage=[0-9a-f:|]{1,100})?(?=;|$)/;

/** SendMessageBatch takes ten entries. */
const sendAtOnce = 10;

export class SqsJobQueue implements JobQueue {
  readonly #client: SQSClient;
  readonly #queueUrl: string;
  readonly #deadLetterQueueUrl: string | undefined;
  readonly #fairQueues: boolean;
  readonly #traceHeader: () => string | undefined;

  constructor(config: SqsConfig) {
    this.#client = config.client;
    this.#queueUrl = config.queueUrl;
    this.#deadLetterQueueUrl = config.deadLetterQueueUrl;
    this.#fairQueues = config.fairQueues ?? false;
    this.#traceHeader = config.traceHeader ?? (() => undefined);
  }

  async send(message: Sendable, delaySeconds: number, suspectPutOffs = 0): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#queueUrl,
        MessageBody: formatMessage(message),
        DelaySeconds: delaySeconds,
        ...this.#group(message),
        ...this.#trace(),
        ...(suspectPutOffs > 0 && { MessageAttributes: { [attributeNames.putOffs]: text(String(suspectPutOffs)) } }),
      }),
    );
  }

  async sendMany(messages: readonly Outgoing[]): Promise<ReadonlySet<string>> {
    const chunks = Array.from({ length: Math.ceil(messages.length / sendAtOnce) }, (_, i) =>
      messages.slice(i * sendAtOnce, (i + 1) * sendAtOnce),
    );
    const unsent = await Promise.all(chunks.map((chunk) => this.#sendBatch(chunk)));
    return new Set(unsent.flat());
  }

  look(): Promise<Backlog> {
    return this.#counts(this.#queueUrl);
  }

  lookDead(): Promise<Backlog> {
    return this.#counts(this.#deadLetterUrl());
  }

  async #counts(queueUrl: string): Promise<Backlog> {
    const { Attributes = {} } = await this.#client.send(
      new GetQueueAttributesCommand({
        QueueUrl: queueUrl,
        AttributeNames: [
          'ApproximateNumberOfMessages',
          'ApproximateNumberOfMessagesNotVisible',
          'ApproximateNumberOfMessagesDelayed',
        ],
      }),
    );
    return {
      visible: Number(Attributes.ApproximateNumberOfMessages ?? 0),
      notVisible: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    };
  }

  setVisibility(receipt: string, seconds: number): Promise<boolean> {
    return this.#changeVisibility(this.#queueUrl, receipt, seconds);
  }

  async bury(body: string, attributes: BurialAttributes): Promise<void> {
    await this.#client.send(
      new SendMessageCommand({
        QueueUrl: this.#deadLetterUrl(),
        MessageBody: body,
        MessageAttributes: {
          [attributeNames.reason]: text(attributes.reason),
          ...(attributes.strayId !== undefined && { [attributeNames.strayId]: text(attributes.strayId) }),
        },
      }),
    );
  }

  async receiveDead(hiddenSeconds: number): Promise<readonly DeadLetter[]> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#deadLetterUrl(),
        MaxNumberOfMessages: 10,
        VisibilityTimeout: hiddenSeconds,
        WaitTimeSeconds: 0,
        MessageAttributeNames: [attributeNames.strayId],
      }),
    );
    return Messages.map((m) => ({
      messageId: m.MessageId ?? '',
      receipt: m.ReceiptHandle ?? '',
      body: m.Body ?? '',
      strayId: m.MessageAttributes?.[attributeNames.strayId]?.StringValue,
    }));
  }

  async deleteDead(receipt: string): Promise<void> {
    try {
      await this.#client.send(new DeleteMessageCommand({ QueueUrl: this.#deadLetterUrl(), ReceiptHandle: receipt }));
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  async releaseDead(receipt: string, afterSeconds: number): Promise<void> {
    await this.#changeVisibility(this.#deadLetterUrl(), receipt, afterSeconds);
  }

  #trace() {
    const [known] = knownTraceParts.exec(this.#traceHeader() ?? '') ?? [];
    return known === undefined ? {} : { MessageSystemAttributes: { AWSTraceHeader: text(known) } };
  }

  #group({ scope }: Sendable): { MessageGroupId?: string } {
    return this.#fairQueues && scope !== undefined ? { MessageGroupId: messageGroup(scope) } : {};
  }

  async #sendBatch(chunk: readonly Outgoing[]): Promise<readonly string[]> {
    try {
      const { Failed = [] } = await this.#client.send(
        new SendMessageBatchCommand({
          QueueUrl: this.#queueUrl,
          Entries: chunk.map(({ message, delaySeconds }, i) => ({
            Id: String(i),
            MessageBody: formatMessage(message),
            DelaySeconds: delaySeconds,
            ...this.#group(message),
            ...this.#trace(),
          })),
        }),
      );
      return Failed.flatMap(({ Id }) => chunk[Number(Id)]?.message.id ?? []);
    } catch {
      return chunk.map(({ message }) => message.id);
    }
  }

  async #changeVisibility(queueUrl: string, receipt: string, seconds: number): Promise<boolean> {
    try {
      await this.#client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: queueUrl, ReceiptHandle: receipt, VisibilityTimeout: seconds }),
      );
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }

  #deadLetterUrl(): string {
    if (this.#deadLetterQueueUrl === undefined) throw new Error('this function has no dead-letter queue configured');
    return this.#deadLetterQueueUrl;
  }
}
