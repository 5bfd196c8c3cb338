import type { LocalOutputs } from './outputs.ts';

/** A message as it lies in a queue. */
export interface PeekedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly receiveCount: number;
  readonly attributes: Readonly<Record<string, string | undefined>>;
}

type RawAttributes = Readonly<Record<string, { readonly StringValue?: string }>>;

const attributesOf = (raw: RawAttributes = {}): PeekedMessage['attributes'] =>
  Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, value.StringValue]));

interface MinistackMessage {
  readonly MessageId: string;
  readonly Body: string;
  readonly ReceiveCount: number;
  readonly MessageAttributes: RawAttributes;
}

const peekMinistack = async (endpointUrl: string, queueUrl: string): Promise<readonly PeekedMessage[]> => {
  const response = await fetch(`${endpointUrl}/_ministack/sqs/messages?${new URLSearchParams({ QueueUrl: queueUrl })}`);
  const { messages } = (await response.json()) as {
    messages: Record<string, Record<string, Record<string, MinistackMessage[]>>>;
  };
  return Object.values(messages)
    .flatMap((regions) => Object.values(regions).flatMap((queue) => Object.values(queue)))
    .flat()
    .map((message) => ({
      messageId: message.MessageId,
      body: message.Body,
      receiveCount: message.ReceiveCount,
      attributes: attributesOf(message.MessageAttributes),
    }));
};

interface LocalstackMessage {
  readonly MessageId: string;
  readonly Body: string;
  readonly Attributes: { readonly ApproximateReceiveCount?: string };
  readonly MessageAttributes?: RawAttributes;
}

/** Asked in the JSON protocol of SQS itself: the other one answers in another shape. */
const peekLocalstack = async (endpointUrl: string, queueUrl: string): Promise<readonly PeekedMessage[]> => {
  const response = await fetch(`${endpointUrl}/_aws/sqs/messages?ShowInvisible=true&ShowDelayed=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'AmazonSQS.ReceiveMessage' },
    body: JSON.stringify({ QueueUrl: queueUrl }),
  });
  if (!response.ok) throw new Error(`LocalStack did not show ${queueUrl}: ${await response.text()}`);
  const { Messages } = (await response.json()) as { Messages?: LocalstackMessage[] | null };
  return (Messages ?? []).map((message) => ({
    messageId: message.MessageId,
    body: message.Body,
    receiveCount: Number(message.Attributes.ApproximateReceiveCount ?? 0),
    attributes: attributesOf(message.MessageAttributes),
  }));
};

/**
 * All messages of a queue, hidden ones too, without receiving them: a receive would hide them from the system and count.
 * SQS cannot do this; emulators can, each under a path of its own.
 */
export const peekQueue = async (
  { endpointUrl, emulator }: Pick<LocalOutputs, 'endpointUrl' | 'emulator'>,
  queueUrl: string,
): Promise<readonly PeekedMessage[]> => {
  if (emulator === 'ministack') return peekMinistack(endpointUrl, queueUrl);
  if (emulator === 'localstack') return peekLocalstack(endpointUrl, queueUrl);
  throw new Error(`The emulator at ${endpointUrl} is not known to show a queue's messages; tests need one that is.`);
};
