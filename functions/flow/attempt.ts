import type { Job, RunningJob } from '#core/job.ts';
import { type Meeting, meet } from '#core/meeting.ts';
import type { Message } from '#core/message.ts';
import type { Outcome } from '#core/outcome.ts';
import type { Slot } from '#core/slot.ts';
import { transition } from '#core/transition.ts';
import type { JobLogger, JobRegistry } from '#functions/jobs/define-job.ts';
import type { RunOnce } from '#functions/ports.ts';
import { conclude } from './conclude.ts';
import { noteEnd, noteRecovery, noteStart } from './note.ts';
import { type Ran, runHandler } from './run-handler.ts';
import { moveJob } from './save-transition.ts';
import type { Turns } from './turns.ts';
import type { World } from './world.ts';

export interface ConsumerWorld extends World {
  readonly registry: JobRegistry;
  readonly runOnce: RunOnce;
  readonly log: (jobId: string) => JobLogger;
}

/** How a message's attempt came out: what to do with the message follows from this alone. */
export type AttemptResult =
  /** The record as it stands after our finish. */
  | { readonly kind: 'ran'; readonly job: Job }
  /** Somebody else has the job: our result changed nothing. */
  | { readonly kind: 'fenced' }
  /** A suspect, which waits until the others of its batch are done. */
  | { readonly kind: 'suspect'; readonly attempt: number }
  | { readonly kind: 'met'; readonly meeting: Exclude<Meeting, { act: 'start' | 'move-first' }> };

export interface Delivery {
  readonly message: Message;
  readonly receiveCount: number;
  readonly remainingMs: () => number;
  /** Suspects may run now: nothing else of the batch does. */
  readonly alone: boolean;
  readonly free: (slot: Slot) => void;
  /** Those of its batch. */
  readonly turns: Turns;
}

/** Starts, runs and finishes one attempt, if the message meets a job that may start. Throws when a service failed. */
export const attempt = async (world: ConsumerWorld, delivery: Delivery): Promise<AttemptResult> => {
  let result: AttemptResult | undefined;
  let started: RunningJob | undefined;
  let ran: Ran | undefined;
  await world.runOnce({
    key: delivery.message,
    remainingMs: delivery.remainingMs,
    begin: async () => {
      const begun = await begin(world, delivery);
      if (begun.kind !== 'started') {
        result = begun;
        return false;
      }
      // A worker that stood still wakes after its lease: its effect here would be fenced, but one elsewhere would happen.
      // The start is lost, and recovered like any other.
      if (world.clock.now() >= begun.job.leaseUntil) {
        result = { kind: 'fenced' };
        return false;
      }
      started = begun.job;
      return true;
    },
    work: async (): Promise<Outcome> => {
      if (started === undefined) throw new Error('work without a start');
      ran = await runHandler(world, world.registry, started, delivery.remainingMs(), world.log(started.id));
      return ran.outcome;
    },
    conclude: async () => {
      if (started === undefined || ran === undefined) throw new Error('a conclusion without an attempt');
      const job = await conclude(world, delivery.turns, started, ran);
      result = job === undefined ? { kind: 'fenced' } : { kind: 'ran', job };
    },
  });
  if (result === undefined) throw new Error('the idempotency layer neither started nor refused the job');
  return result;
};

type Begun = { readonly kind: 'started'; readonly job: RunningJob } | AttemptResult;

const meetingsMax = 6;

/** First the start that needs no read; if it is refused, the record that refused it decides, as often as it moves. */
const begin = async (world: ConsumerWorld, delivery: Delivery): Promise<Begun> => {
  const { message } = delivery;
  const now = world.clock.now();
  const owner = world.random.hex(16);
  const guess = Math.min(delivery.receiveCount, world.limits.attemptsMax) - 1;
  const fast = await world.store.start(message, {
    now,
    owner,
    leaseUntil: now + delivery.remainingMs(),
    attempt: guess,
  });
  if (fast.kind === 'started') {
    noteStart(world, fast.job);
    return fast;
  }
  let job = fast.job;
  for (let met = 0; met < meetingsMax; met += 1) {
    const at = world.clock.now();
    const jitter = world.random.next();
    const meeting = meet(job, message, at, jitter, world.limits);
    if (meeting.act === 'start') {
      if (meeting.suspect && !delivery.alone) return { kind: 'suspect', attempt: meeting.job.attempt };
      const begun = await startRead(world, delivery, job as Job, meeting.job, owner, at);
      if (begun.kind === 'started') return begun;
      job = begun.job;
    } else if (meeting.act === 'move-first') {
      job = await moveFirst(world, delivery, meeting.job, meeting.event, jitter);
    } else {
      return { kind: 'met', meeting };
    }
  }
  throw new Error(`job ${message.id} moved ${meetingsMax} times under one start`);
};

/** `read` is what the store holds; `ready` is that, or what a recovery makes of it in the same write. */
const startRead = async (
  world: ConsumerWorld,
  delivery: Delivery,
  read: Job,
  ready: Job,
  owner: string,
  now: number,
): Promise<{ kind: 'started'; job: RunningJob } | { kind: 'lost'; job: Job | undefined }> => {
  const next = transition(ready, { type: 'start', now, owner, leaseUntil: now + delivery.remainingMs() }, world.limits);
  if (!next.ok || next.job.state !== 'running') throw new Error(`a start that was decided is refused for ${read.id}`);
  const saved = await world.store.save(read, next.job);
  if (saved.kind === 'lost') {
    // A repeated call of the SDK may find our own start, with a mark written since.
    if (saved.job?.state !== 'running' || saved.job.owner !== owner) return { kind: 'lost', job: saved.job };
  }
  if (ready !== read) noteRecovery(world, ready);
  noteStart(world, next.job);
  return { kind: 'started', job: next.job };
};

const moveFirst = async (
  world: ConsumerWorld,
  delivery: Delivery,
  job: Job,
  type: 'recover' | 'expire',
  jitter: number,
): Promise<Job | undefined> => {
  const moved = await moveJob(world, job, () => ({ type, now: world.clock.now(), jitter }));
  if (moved.kind === 'refused') return moved.job;
  if (moved.job.state === 'retrying') noteRecovery(world, moved.job);
  else noteEnd(world, moved.job);
  if (moved.job.state !== 'retrying') delivery.free(moved.job.slot);
  return moved.job;
};
