import { strayId } from '#core/identity.ts';
import type { DeadReason, StrayReason } from '#core/job.ts';
import { utf8Bytes } from '#core/json.ts';
import type { BurialAttributes } from '#functions/ports.ts';
import { NotDone, type Received } from './received.ts';
import type { World } from './world.ts';

/**
 * What SQS takes in one message, body and attributes together, less what our attributes need.
 * Source: "Amazon SQS message quotas" (1 MiB since August 2025; a queue whose MaximumMessageSize was set before takes 256 KiB).
 */
const resendBytesMax = 262_144 - 1_024;

/**
 * The message of a dead job belongs in the dead-letter queue. On its last receive SQS moves it, at once if its visibility
 * ends at once; before that, we send it there with its reason and acknowledge.
 */
export const sendToDeadLetter = async (world: World, received: Received, reason: DeadReason): Promise<void> =>
  toDeadLetter(world, received, { reason });

/** A message that belongs to no job: recorded, so that it is listed, and sent to the dead-letter queue unchanged. */
export const buryStray = async (world: World, received: Received, reason: StrayReason): Promise<void> => {
  const id = strayId(received.messageId);
  const isNew = await world.store.recordStray({ id, reason, receivedAt: world.clock.now() });
  if (isNew) world.telemetry.note({ metric: 'Strays', code: reason, level: 'warn', detail: { stray: id } });
  await toDeadLetter(world, received, { reason, strayId: id });
};

const toDeadLetter = async (world: World, received: Received, attributes: BurialAttributes): Promise<void> => {
  const isLast = received.receiveCount >= world.limits.attemptsMax;
  if (isLast || utf8Bytes(received.body) > resendBytesMax) {
    await world.queue.setVisibility(received.receipt, 0);
    throw new NotDone(`left to SQS for the dead-letter queue: ${attributes.reason}`);
  }
  await world.queue.bury(received.body, attributes);
};
