import { ChangeMessageVisibilityCommand, type ReceiveMessageCommandOutput, type SQSClient } from '@aws-sdk/client-sqs';

/**
 * What a queue holds back by the moved clock (epoch ms): messages delayed or hidden by us, and letters that a sweep
 * received.
 */
export class Holds {
  readonly #now: () => number;
  readonly #byReceipt = new Map<string, number>();
  #latest = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** When everything that was delayed or hidden is due. */
  get latest(): number {
    return this.#latest;
  }

  hold(seconds: number, receipt?: string): void {
    const until = this.#now() + seconds * 1000;
    this.#latest = Math.max(this.#latest, until);
    if (receipt !== undefined) this.#byReceipt.set(receipt, until);
  }

  until(receipt: string): number | undefined {
    return this.#byReceipt.get(receipt);
  }

  /** The receipts whose time is over; they are told once. */
  over(): readonly string[] {
    const receipts = [...this.#byReceipt].filter(([, until]) => until <= this.#now()).map(([receipt]) => receipt);
    for (const receipt of receipts) this.#byReceipt.delete(receipt);
    return receipts;
  }
}

const holdsByQueue = new Map<string, Holds>();

export const holdQueue = (queueUrl: string, holds: Holds): void => {
  holdsByQueue.set(queueUrl, holds);
};

export const forgetQueue = (queueUrl: string): void => {
  holdsByQueue.delete(queueUrl);
};

type Input = { readonly QueueUrl?: string; readonly ReceiptHandle?: string } & Readonly<Record<string, unknown>>;

/** Delays and visibilities by command. */
const fields: Readonly<Record<string, string>> = {
  SendMessageCommand: 'DelaySeconds',
  ChangeMessageVisibilityCommand: 'VisibilityTimeout',
  ReceiveMessageCommand: 'VisibilityTimeout',
};

/**
 * The emulator's time cannot be moved. So delays and visibilities of the queues named here go out as 0 and are noted
 * instead, and the poller moves the clock until they are over before it receives: a wait then takes no time, and no
 * message comes before it is due. What a sweep's receive hides stays hidden until the test shows it again.
 */
export const heldBack = (client: SQSClient): SQSClient => {
  client.middlewareStack.add(
    (next, context) => (args) => {
      const input = args.input as Input;
      const holds = holdsByQueue.get(input.QueueUrl ?? '');
      if (holds === undefined) return next(args);
      const field = fields[context.commandName ?? ''];
      if (field === undefined || input[field] === undefined) return next(args);
      const seconds = Number(input[field]);
      if (field !== 'VisibilityTimeout' || input.ReceiptHandle !== undefined) {
        context['carriedOut'] = () => holds.hold(seconds, input.ReceiptHandle);
        return next({ ...args, input: { ...input, [field]: 0 } as never });
      }
      context['carriedOut'] = ({ Messages = [] }: ReceiveMessageCommandOutput) => {
        for (const { ReceiptHandle } of Messages) holds.hold(seconds, ReceiptHandle);
      };
      return next({ ...args, input: { ...input, [field]: longerThanAnyCase } as never });
    },
    { step: 'initialize', name: 'holdBack' },
  );
  // Below the faults: it sees what was carried out, also by a call whose answer is lost then.
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const result = await next(args);
      const carriedOut = context['carriedOut'] as ((output: ReceiveMessageCommandOutput) => void) | undefined;
      carriedOut?.(result.output as ReceiveMessageCommandOutput);
      return result;
    },
    { step: 'deserialize', priority: 'high', name: 'noteHolds' },
  );
  return client;
};

const longerThanAnyCase = 3_600;

/** Shows hidden messages whose time is over by the moved clock; those that are gone do not matter. */
export const showDue = async (client: SQSClient, QueueUrl: string, receipts: readonly string[]): Promise<void> => {
  await Promise.allSettled(
    receipts.map((ReceiptHandle) =>
      client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 })),
    ),
  );
};
