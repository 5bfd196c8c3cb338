import { runTimeMs } from '#core/durations.ts';
import type { Job, RunningJob } from '#core/job.ts';
import type { JobWrite } from '#core/job-write.ts';
import type { Outcome } from '#core/outcome.ts';
import { transition } from '#core/transition.ts';
import type { Finished } from '#functions/ports.ts';
import { noteEnd } from './note.ts';
import type { Ran } from './run-handler.ts';
import type { Turns } from './turns.ts';
import type { World } from './world.ts';

/** How long before the lease ends the finish is tried no more, so that its last answer still finds us alive. */
const lastTryMs = 500;
/** Pure contention passes quickly; this bounds the tries even if the clock does not move. */
const triesMax = 500;
const backoffMs = 20;
const backoffCapMs = 400;

/**
 * Ends an attempt with its outcome and the handler's writes, and returns the record as it then stands; undefined: we
 * were fenced, and nothing of the attempt landed. Throws when nobody can tell; the lease then ends by itself.
 */
export const conclude = async (
  world: World,
  turns: Turns,
  started: RunningJob,
  { outcome, writes }: Ran,
): Promise<Job | undefined> => {
  // Behind one that hangs a conflict is the lesser evil, while there is still time for it to pass.
  const patienceMs = (started.leaseUntil - world.clock.now()) / 2;
  const effects = outcome.kind === 'done' ? writes : [];
  const ended = await turns.take(world.clock, effects, patienceMs, () => endWith(world, started, outcome, writes));
  if (ended === undefined) {
    world.telemetry.note({
      metric: 'FenceRejected',
      jobId: started.id,
      code: 'fenced',
      level: 'warn',
      detail: { attempt: started.attempt },
    });
  } else {
    noteEnd(world, ended, runTimeMs(started, ended));
  }
  return ended;
};

const endWith = async (
  world: World,
  started: RunningJob,
  outcome: Outcome,
  writes: readonly JobWrite[],
): Promise<Job | undefined> => {
  const jitter = world.random.next();
  let unclear: Unclear | undefined;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const step = transition(
      started,
      { type: 'finish', now: world.clock.now(), owner: started.owner, outcome, jitter },
      world.limits,
    );
    if (!step.ok) throw new Error(`the end "${outcome.kind}" of ${started.id} is refused: ${step.refusal}`);
    // Success and retry give way to a cancel that was asked for; a permanent failure and an external effect do not.
    const unlessCancelled = outcome.kind === 'retry' || (outcome.kind === 'done' && !outcome.external);
    const finished = await finishOnce(world, started, step.job, outcome.kind === 'done' ? writes : [], unlessCancelled);
    if (finished.kind === 'saved') return step.job;
    if (finished.kind === 'fenced') return undefined;
    unclear = finished.kind === 'unclear' ? finished : undefined;
    const decided = finished.kind !== 'contended' && finished.kind !== 'unclear';
    if (decided) return endWith(world, started, instead(finished, writes), []);
    if (world.clock.now() + backoffCapMs + lastTryMs >= started.leaseUntil) break;
    await world.clock.wait(Math.min(backoffCapMs, backoffMs * 2 ** tries) * (0.5 + world.random.next() / 2));
  }
  if (unclear !== undefined) throw unclear.error;
  if (outcome.kind !== 'done') throw new Error(`the end "${outcome.kind}" of ${started.id} could not be written`);
  return endWith(
    world,
    started,
    {
      kind: 'retry',
      code: 'finish-contended',
      message: 'the writes met contention until the time was over',
      burnsAttempt: false,
    },
    [],
  );
};

interface Unclear {
  readonly kind: 'unclear';
  readonly error: unknown;
}

/**
 * Nobody knows whether it landed: the same end may be written again while the lease lasts, since it carries the same
 * writer, and a first try that did land is recognised by it.
 */
const finishOnce = async (world: World, ...end: Parameters<World['store']['finish']>): Promise<Finished | Unclear> => {
  try {
    return await world.store.finish(...end);
  } catch (error) {
    return { kind: 'unclear', error };
  }
};

/** What the outcome becomes when the store has the last word; done → retry → cancelled is the longest way to go. */
const instead = (
  finished: Exclude<Finished, { kind: 'saved' | 'fenced' | 'contended' }>,
  writes: readonly JobWrite[],
): Outcome => {
  switch (finished.kind) {
    case 'cancel-requested':
      return { kind: 'cancelled' };
    case 'rejected':
      return { kind: 'fail', code: 'permanent-error', message: `the store refused the writes: ${finished.detail}` };
    case 'condition-failed': {
      const message = `the condition of write ${finished.index} failed`;
      return writes[finished.index]?.retryable
        ? { kind: 'retry', code: 'retryable-error', message, burnsAttempt: true }
        : { kind: 'fail', code: 'permanent-error', message };
    }
  }
};
