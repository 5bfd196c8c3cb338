import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { consumeBatch } from '#functions/consumer.ts';
import type { Ran } from './actor.ts';
import { sqs } from './clients.ts';
import type { Lab } from './lab.ts';

/** A batch that a worker has; `done` when its answer, or its end, was dealt with. */
export interface Delivery {
  readonly size: number;
  readonly done: Promise<Ran<SQSBatchResponse>>;
}

/**
 * Lambda's event source mapping in small: receives what is due, hands it to the consumer, acknowledges what succeeded,
 * and leaves to the queue what failed or was held by a worker that is gone. The clock moves to when the next message is
 * due. Undefined: there was nothing.
 */
export const beginDelivery = async (lab: Lab): Promise<Delivery | undefined> => {
  lab.clock.reach(lab.holds.latest);
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: lab.resources.queueUrl,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['ApproximateReceiveCount'],
      MessageAttributeNames: ['All'],
    }),
  );
  if (Messages.length === 0) return undefined;
  const { limits } = lab.world;
  const receivedAt = lab.clock.now();
  const end = receivedAt + limits.consumerTimeoutSeconds * 1000;
  // A world of its own stands for a process of its own: what hangs in one is not seen in another.
  const world = { ...lab.world };
  const working = lab.actor('consume', () => consumeBatch(world, eventOf(Messages), () => end - lab.clock.now()));
  const done = working.then(async (ran) => {
    await settle(lab, Messages, ran, receivedAt + limits.visibilitySeconds * 1000);
    return ran;
  });
  return { size: Messages.length, done };
};

/** One delivery from its receive to its end. False: there was nothing to receive. */
export const deliver = async (lab: Lab): Promise<boolean> => {
  const delivery = await beginDelivery(lab);
  await delivery?.done;
  return delivery !== undefined;
};

const eventOf = (messages: readonly Message[]): SQSEvent => ({
  Records: messages.map((message) => ({
    messageId: message.MessageId ?? '',
    receiptHandle: message.ReceiptHandle ?? '',
    body: message.Body ?? '',
    attributes: {
      ApproximateReceiveCount: message.Attributes?.ApproximateReceiveCount ?? '1',
      SentTimestamp: '0',
      SenderId: '',
      ApproximateFirstReceiveTimestamp: '0',
    },
    messageAttributes: Object.fromEntries(
      Object.entries(message.MessageAttributes ?? {}).map(([name, value]) => [
        name,
        { dataType: 'String', stringValue: value.StringValue ?? '' },
      ]),
    ),
    md5OfBody: message.MD5OfBody ?? '',
    eventSource: 'aws:sqs',
    eventSourceARN: '',
    awsRegion: 'us-east-1',
  })),
});

/** A function that threw, or is gone, has succeeded with nothing. */
const settle = async (
  lab: Lab,
  messages: readonly Message[],
  ran: Ran<SQSBatchResponse>,
  hiddenUntil: number,
): Promise<void> => {
  const failed =
    ran.kind === 'answered' ? new Set(ran.value.batchItemFailures.map((f) => f.itemIdentifier)) : undefined;
  for (const message of messages) {
    const succeeded = failed !== undefined && !failed.has(message.MessageId ?? '');
    if (!succeeded || !(await acknowledge(lab, message))) await comeBack(lab, message, hiddenUntil);
  }
};

const acknowledge = async (lab: Lab, { ReceiptHandle }: Message): Promise<boolean> => {
  const QueueUrl = lab.resources.queueUrl;
  const ran = await lab.actor('poller', () => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle })));
  return ran.kind === 'answered';
};

/** When the visibility that the consumer has set is over, or else the queue's own. */
const comeBack = async (lab: Lab, { ReceiptHandle = '' }: Message, hiddenUntil: number): Promise<void> => {
  const until = lab.holds.until(ReceiptHandle) ?? hiddenUntil;
  lab.holds.hold((until - lab.clock.now()) / 1000);
  const QueueUrl = lab.resources.queueUrl;
  // One that is gone by now does not matter.
  await sqs
    .send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
    .catch(() => undefined);
};
