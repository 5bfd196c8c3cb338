import { fingerprintOf } from '#core/identity.ts';
import type { RunningJob } from '#core/job.ts';
import { itemOf, type JobWrite } from '#core/job-write.ts';
import { utf8Bytes } from '#core/json.ts';
import { bounds } from '#core/limits.ts';
import type { Outcome } from '#core/outcome.ts';
import {
  type Job as Definition,
  type JobDone,
  type JobLogger,
  type JobRegistry,
  Retryable,
} from '#functions/jobs/define-job.ts';
import type { World } from './world.ts';

/** What a handler produced: the outcome for the record, and the writes that commit with it. */
export interface Ran {
  readonly outcome: Outcome;
  readonly writes: readonly JobWrite[];
}

/** A checkpoint found a cancel request, or another owner. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** A checkpoint could not be read. */
class Unread extends Error {
  override readonly name = 'Unread';
}

const without = (outcome: Outcome): Ran => ({ outcome, writes: [] });
const fail = (message: string, code: 'permanent-error' | 'request-unreadable' = 'permanent-error'): Ran =>
  without({ kind: 'fail', code, message });
const retry = (code: 'retryable-error' | 'timeout', message: string, afterSeconds?: number): Ran =>
  without({ kind: 'retry', code, message, burnsAttempt: true, afterSeconds });

/** Our own store did not answer: nobody's error, so it burns no attempt; the wait budget bounds it. */
const unavailable = (message: string): Ran =>
  without({ kind: 'retry', code: 'store-unavailable', message, burnsAttempt: false });

/**
 * Runs the handler of a started job within its time and judges what came of it. Never throws for what a handler does:
 * `Retryable` and the timeout are retried, everything else, `undefined` included, is permanent. A handler that ignores
 * its signal goes on in the background, but nothing that it returns then is looked at.
 */
export const runHandler = async (
  world: World,
  registry: JobRegistry,
  job: RunningJob,
  remainingMs: number,
  log: JobLogger,
): Promise<Ran> => {
  const definition = registry.get(job.type);
  if (definition === undefined) return fail(`no handler is deployed for the type ${job.type}`, 'request-unreadable');
  let payload: unknown;
  try {
    payload = await readPayload(world, job);
  } catch {
    return unavailable('the payload could not be read');
  }
  const bound = payload === undefined ? undefined : definition.bind(payload);
  if (bound === undefined) return fail('the stored request no longer fits its handler', 'request-unreadable');

  const stop = new AbortController();
  const timeout = new AbortController();
  const ms = Math.min(timeoutMs(world, definition), remainingMs - world.limits.finishReserveSeconds * 1000);
  const timer = world.clock.wait(ms, timeout.signal).then((): Ran => {
    const late = retry('timeout', `the handler did not end within ${ms} ms`);
    if (!timeout.signal.aborted) stop.abort(new DOMException('the job has reached its timeout', 'TimeoutError'));
    return late;
  });
  const checkpoint = async () => {
    const now = await world.store.read(job.id).catch(() => {
      throw new Unread('the checkpoint could not read the job');
    });
    if (now?.state === 'running' && now.owner === job.owner && !now.cancelRequested) return;
    const stopped = new Stopped(now?.cancelRequested ? 'a cancel was requested' : 'another worker has taken over');
    stop.abort(stopped);
    throw stopped;
  };
  const work = (async (): Promise<Ran> => {
    try {
      const done = await bound({
        id: job.id,
        attempt: job.attempt,
        starts: job.starts,
        idempotencyKey: job.id,
        signal: stop.signal,
        checkpoint,
        progress: progressOf(world, job),
        log,
      });
      return judgeDone(done, definition.external);
    } catch (error) {
      return judgeError(error);
    }
  })();
  const hanging = hangingIn(world);
  hanging.add(work);
  work.finally(() => hanging.delete(work));
  try {
    return await Promise.race([work, timer]);
  } finally {
    timeout.abort();
  }
};

/** Handlers of this process that have not ended, those included that nobody waits for any more. */
const handlers = new WeakMap<World, Set<Promise<Ran>>>();

const hangingIn = (world: World): Set<Promise<Ran>> => {
  const known = handlers.get(world) ?? new Set();
  handlers.set(world, known);
  return known;
};

/** True if a handler goes on here, past its timeout and its signal: what it does next may still end the process. */
export const isHandlerHanging = (world: World): boolean => hangingIn(world).size > 0;

const progressEveryMs = 1_000;

/** Fenced and throttled: one write a second at most, the newest of what was told meanwhile is left out. */
const progressOf = (world: World, job: RunningJob): ((done: number, total: number, note?: string) => void) => {
  let next = 0;
  return (done, total, note) => {
    const now = world.clock.now();
    if (now < next || !Number.isFinite(done) || !Number.isFinite(total)) return;
    next = now + progressEveryMs;
    const text = note?.slice(0, bounds.progressNoteChars).toWellFormed();
    const progress = { done, total, ...(text !== undefined && { note: text }) };
    // Progress is for people: that it could not be written is no reason to fail the job.
    world.store.noteProgress(job, progress, now).catch(() => undefined);
  };
};

/** The job's own timeout, capped by the stage. */
const timeoutMs = (world: World, definition: Pick<Definition, 'timeoutSeconds'> | undefined): number =>
  Math.min(definition?.timeoutSeconds ?? world.limits.jobTimeoutSeconds, world.limits.jobTimeoutSeconds) * 1000;

const readPayload = async (world: World, job: RunningJob): Promise<unknown> => {
  const apart = 'item' in job.payload;
  const text = 'inline' in job.payload ? job.payload.inline : await world.store.readPayload(job.payload.item);
  if (text === undefined) return undefined;
  try {
    const payload: unknown = JSON.parse(text);
    // What lies in an item of its own is held against the request that was accepted.
    const isOurs = !apart || fingerprintOf(job.type, payload, job.options) === job.fingerprint;
    return isOurs ? payload : undefined;
  } catch {
    return undefined;
  }
};

const judgeError = (error: unknown): Ran => {
  if (error instanceof Stopped) return without({ kind: 'cancelled' });
  if (error instanceof Unread) return unavailable(error.message);
  const message = describe(error);
  return error instanceof Retryable ? retry('retryable-error', message, error.afterSeconds) : fail(message);
};

/** Anything can be thrown; the text is for the job's owner. */
const describe = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return 'the handler threw something that has no text';
  }
};

/** A result or a write that cannot be stored fails here, before any effect. */
const judgeDone = (done: JobDone | undefined, external: boolean): Ran => {
  const result = resultText(done?.result);
  if (!result.ok) return fail(result.why);
  const writes = done?.writes ?? [];
  const wrong = wrongWrites(writes);
  return wrong === undefined ? { outcome: { kind: 'done', result: result.text, external }, writes } : fail(wrong);
};

const resultText = (result: unknown): { ok: true; text: string } | { ok: false; why: string } => {
  let text: string;
  try {
    text = JSON.stringify(result ?? null) ?? 'null';
  } catch (error) {
    return { ok: false, why: `the result cannot be stored as JSON: ${describe(error)}` };
  }
  const bytes = utf8Bytes(text);
  if (bytes > bounds.resultBytes) {
    return { ok: false, why: `the result has ${bytes} bytes as JSON; at most ${bounds.resultBytes} can be stored` };
  }
  return { ok: true, text };
};

const wrongWrites = (writes: readonly JobWrite[]): string | undefined => {
  if (!Array.isArray(writes)) return 'the writes are not a list';
  if (writes.length > bounds.handlerWritesMax) {
    return `the handler returned ${writes.length} writes; one transaction takes at most ${bounds.handlerWritesMax}`;
  }
  const items = new Set(writes.map(itemOf));
  return items.size === writes.length ? undefined : 'the handler returned two writes on one item';
};
