import type { PutOffReason } from '#core/evidence.ts';
import { describeFailure } from '#core/failure.ts';
import type { Job } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { type Message, parseMessage } from '#core/message.ts';
import { wholeSeconds } from '#core/retry-policy.ts';
import { type Slot, tokensByShard } from '#core/slot.ts';
import type { Sendable } from '#functions/ports.ts';
import { type AttemptResult, attempt, type ConsumerWorld } from './attempt.ts';
import { buryStray, sendToDeadLetter } from './bury.ts';
import { NotDone, type Received } from './received.ts';
import { isHandlerHanging } from './run-handler.ts';
import type { Turns } from './turns.ts';

export interface Batch {
  readonly remainingMs: () => number;
  /** In which ends of this batch come that write to one item. */
  readonly turns: Turns;
  /** Slots that finishes gave back, freed together at the end. */
  readonly freed: Slot[];
  /** Suspects that were met while others ran, with their attempts so far. */
  readonly suspects: { readonly received: Received; readonly attempt: number }[];
}

/** Consumes one message. Returns: acknowledge it. Throws `NotDone`, or what a service threw: report it as failed. */
export const consume = async (
  world: ConsumerWorld,
  batch: Batch,
  received: Received,
  alone: boolean,
): Promise<void> => {
  const parsed = parseMessage(received.body);
  if (!parsed.ok) return buryStray(world, received, parsed.reason);
  const { message } = parsed;
  if (!fits(world, batch)) return putOffForTime(world, message, received, alone);
  if (alone && isHandlerHanging(world) && received.putOffs < hangingPutOffsMax(world)) {
    const until = world.clock.now() + world.limits.consumerTimeoutSeconds * 1000;
    return putOff(world, message, until, 'handler-hanging', received.putOffs + 1);
  }
  const result = await attempt(world, {
    message,
    receiveCount: received.receiveCount,
    remainingMs: batch.remainingMs,
    alone,
    free: (slot) => batch.freed.push(slot),
    turns: batch.turns,
  });
  await settle(world, batch, received, message, result);
};

/** Beyond it a suspect runs all the same: a handler that never ends must not keep it from its end. */
const hangingPutOffsMax = (world: ConsumerWorld): number => 2 * world.limits.suspectPutOffsMax;

/** Time enough for the longest job that the stage allows, so that no attempt starts only to be cut short. */
const fits = (world: ConsumerWorld, batch: Batch): boolean =>
  batch.remainingMs() > (world.limits.jobTimeoutSeconds + world.limits.finishReserveSeconds) * 1000;

const settle = async (
  world: ConsumerWorld,
  batch: Batch,
  received: Received,
  message: Message,
  result: AttemptResult,
): Promise<void> => {
  switch (result.kind) {
    case 'suspect':
      batch.suspects.push({ received, attempt: result.attempt });
      return;
    case 'fenced':
      throw new NotDone('another worker has the job');
    case 'ran':
      return afterRun(world, batch, received, result.job);
    case 'met':
      return afterMeeting(world, batch, received, message, result.meeting);
  }
};

const afterRun = async (world: ConsumerWorld, batch: Batch, received: Received, job: Job): Promise<void> => {
  if (job.state === 'retrying') return comeBack(world, received, job);
  batch.freed.push(job.slot);
  if (job.state === 'dead') return sendToDeadLetter(world, received, job.reason.code);
};

/**
 * The message of a retrying job becomes visible when the wait is over, and is reported as failed. If SQS would move it
 * instead, since its receives run ahead of our attempts, a copy takes its place.
 */
const comeBack = async (world: ConsumerWorld, received: Received, job: Job & { state: 'retrying' }): Promise<void> => {
  const waitMs = job.nextAttemptAt - world.clock.now();
  if (received.receiveCount >= world.limits.attemptsMax) {
    return world.queue.send(job, wholeSeconds(waitMs, bounds.delaySecondsMax));
  }
  await world.queue.setVisibility(received.receipt, wholeSeconds(waitMs, world.limits.visibilitySeconds));
  throw new NotDone('the job will be tried again');
};

const afterMeeting = async (
  world: ConsumerWorld,
  batch: Batch,
  received: Received,
  message: Message,
  meeting: Extract<AttemptResult, { kind: 'met' }>['meeting'],
): Promise<void> => {
  switch (meeting.act) {
    case 'acknowledge':
      // A crash between a finish and its freeing heals here; the slot of a newer tenure is not this message's.
      if (meeting.why === 'final') batch.freed.push(meeting.job.slot);
      return;
    case 'to-dead-letter':
      return sendToDeadLetter(world, received, meeting.job.reason.code);
    case 'bury-stray':
      return buryStray(world, received, meeting.reason);
    case 'put-off':
      return putOff(world, { ...message, scope: meeting.job.scope }, meeting.until, meeting.why, 0);
  }
};

/** A copy with a delay, then the acknowledgement: waiting never costs a receive. */
const putOff = async (
  world: ConsumerWorld,
  message: Sendable,
  until: number,
  code: PutOffReason,
  putOffs: number,
): Promise<void> => {
  const seconds = Math.max(
    world.limits.putOffMinSeconds,
    wholeSeconds(until - world.clock.now(), bounds.delaySecondsMax),
  );
  await world.queue.send(message, seconds, putOffs);
  world.telemetry.note({ metric: 'PutOffs', jobId: message.id, code, detail: { seconds, putOffs } });
};

const putOffForTime = (world: ConsumerWorld, message: Message, received: Received, alone: boolean): Promise<void> =>
  putOff(world, message, world.clock.now(), 'no-time-left', alone ? received.putOffs + 1 : received.putOffs);

/** Frees what the batch's finishes gave back, one write a shard. A failure is left to the next to meet the job. */
export const freeSlots = async (world: ConsumerWorld, freed: readonly Slot[]): Promise<void> => {
  await Promise.all(
    [...tokensByShard(freed)].map(async ([shard, tokens]) => {
      try {
        await world.slots.free(shard, tokens);
      } catch (error) {
        const detail = { ...describeFailure(error), shard, slots: tokens.length };
        world.telemetry.note({ metric: 'SlotsUnfreed', code: 'free-failed', level: 'warn', detail });
      }
    }),
  );
};
