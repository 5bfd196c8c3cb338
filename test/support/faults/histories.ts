import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { formatMessage } from '#core/message.ts';
import { sqs } from './clients.ts';
import { brokenConnection } from './fault.ts';
import { Injection } from './injection.ts';
import type { AskOptions } from './job.ts';
import type { Asked, Lab } from './lab.ts';
import { beginDelivery, deliver } from './poller.ts';
import { deliverAll } from './settle.ts';

/*
 * What scenarios begin with. None of it meets the fault of the case; what it needs to go wrong goes wrong by injection.
 */

const broken = async (): Promise<never> => {
  throw brokenConnection();
};

/** The calls of this name fail, all tries of the SDK, for as long as `during` takes. */
export const without = async <T>(lab: Lab, calls: RegExp, during: () => Promise<T>): Promise<T> => {
  const outage = new Injection(calls, broken);
  lab.injections.push(outage);
  try {
    return await during();
  } finally {
    outage.end();
  }
};

/** In the table, and its message was never sent; with `marked` the record knows. */
export const unsentJob = async (lab: Lab, { marked = true, ...options }: AskOptions & { marked?: boolean } = {}) => {
  await lab.openForUse();
  const asked = lab.request(options);
  const answer = await without(lab, marked ? /SendMessage/ : /SendMessage|› UpdateItem 2/, () => lab.submit(asked));
  if (answer.kind !== 'answered' || answer.value.kind !== 'refused') throw new Error('the send did not fail');
  if (Boolean((await lab.job(asked))?.unsent) !== marked) throw new Error('the mark is not as it was meant');
  return asked;
};

/** Dead, with its message in the dead-letter queue and its slot free. */
export const deadJob = async (lab: Lab, options: AskOptions = {}): Promise<Asked> => {
  const asked = await lab.accepted({ permanentStarts: 1, ...options });
  await deliverAll(lab);
  if ((await lab.job(asked))?.state !== 'dead') throw new Error('the job did not die');
  return asked;
};

/** Running on a worker that is gone; its message is in the queue again when it may be seen. */
export const lostJob = async (lab: Lab, options: AskOptions = {}, starts = 1): Promise<Asked> => {
  const asked = await lab.accepted({ failStarts: starts - 1, ...options });
  for (let start = 1; start < starts; start += 1) await deliver(lab);
  // Neither the finish nor the look that follows an unclear one gets through, and the worker reports nothing.
  await without(lab, /TransactWriteItems|consume \d+ › GetItem/, () => deliver(lab));
  if ((await lab.job(asked))?.state !== 'running') throw new Error('the job is not running');
  lab.clock.advance(lab.world.limits.consumerTimeoutSeconds + lab.world.limits.leaseGraceSeconds + 1);
  return asked;
};

/** As when the consumer was throttled for so long that SQS gave the messages up: none was ever started. */
export const moveToDeadLetters = async (lab: Lab): Promise<void> => {
  const { queueUrl: QueueUrl, deadLetterQueueUrl } = lab.resources;
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  for (const { Body = '', ReceiptHandle } of Messages) {
    await lab.sendRaw(Body, deadLetterQueueUrl);
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
};

/** The first worker hangs with the job. The test goes on when it does, or when there is no such worker. */
export const hangingDelivery = async (lab: Lab) => {
  const delivery = await beginDelivery(lab);
  await Promise.race([lab.gate.arrived, delivery?.done]);
  if (!lab.gate.isHolding) lab.gate.open();
  return delivery;
};

/** The body that the queue carries for a job of this tenure. */
export const messageOf = ({ submission }: Asked, tenure = 0): string => formatMessage({ ...submission, tenure });
