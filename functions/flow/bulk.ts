import type { Job } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { UnfitPosition } from '#core/position.ts';
import type { DeadFilter } from '#functions/ports.ts';
import { sweepDeadLetters } from './sweep.ts';
import type { World } from './world.ts';

/** A call that works through the dead, bounded in number and time, and tells where it stopped. */
export interface BulkRequest {
  /** Either ids, or all that the filter lets through, oldest first. */
  readonly which: { readonly ids: readonly string[] } | { readonly filter: DeadFilter };
  readonly limit: number;
  readonly ratePerSecond: number | undefined;
  readonly dryRun: boolean;
  /** Where the last call of the same request stopped. */
  readonly after: string | undefined;
  readonly actor: string;
}

export type SkipCode = 'job-not-found' | 'not-dead' | 'redrive-limit' | 'queue-full';
/** What became of one of them. */
export type Acted = 'moved' | 'closed' | 'tenant-quota' | SkipCode;
type StoppedBy = 'end' | 'full' | 'limit' | 'time' | 'closed';

export interface BulkResult {
  readonly examined: number;
  /** In a dry run: how many would be. */
  readonly moved: number;
  readonly skipped: readonly { readonly id: string; readonly code: SkipCode }[];
  readonly stoppedBy: StoppedBy;
  /** Where to go on; absent at the end. */
  readonly next: string | undefined;
  readonly dryRun: boolean;
}

export interface Candidate {
  readonly id: string;
  readonly job: Job | undefined;
  /** A stray that is kept; it has no job. */
  readonly stray: boolean;
  readonly position: string;
}
/** A stretch of the index without a match: the walk has moved on, and the clock is looked at. */
type Step = Candidate | { readonly id?: undefined; readonly position: string };

/** Kept back for the sweep and the answer. */
const reserveMs = 5_000;
const sweepMax = 50;

/**
 * Walks over the dead and does `act` to each, until none is left, `limit` or time is used up, or slots run out. What could
 * not be done for want of a slot keeps its place: the next call begins with it. A filter meets strays only if asked to.
 * Clears the dead-letter queue at the end.
 */
export const workThroughDead = async (
  world: World,
  request: BulkRequest,
  remainingMs: () => number,
  strays: boolean,
  act: (candidate: Candidate) => Promise<Acted>,
): Promise<BulkResult> => {
  const until = world.clock.now() + remainingMs() - reserveMs;
  const skipped: { id: string; code: SkipCode }[] = [];
  let examined = 0;
  let moved = 0;
  let next = request.after;
  let stoppedBy: StoppedBy = 'end';
  for await (const step of walkDead(world, request, strays)) {
    if (world.clock.now() >= until) {
      stoppedBy = 'time';
      break;
    }
    if (step.id === undefined) {
      next = step.position;
      continue;
    }
    if (examined >= request.limit) {
      stoppedBy = 'limit';
      break;
    }
    const what = await act(step);
    if (what === 'closed') {
      stoppedBy = 'closed';
      break;
    }
    examined += 1;
    if (what !== 'moved') skipped.push({ id: step.id, code: what === 'tenant-quota' ? 'queue-full' : what });
    if (what === 'queue-full') {
      stoppedBy = 'full';
      break;
    }
    next = step.position;
    if (what !== 'moved') continue;
    moved += 1;
    if (!request.dryRun && request.ratePerSecond !== undefined) await world.clock.wait(1000 / request.ratePerSecond);
  }
  if (moved > 0 && !request.dryRun) await sweepQuietly(world, until + reserveMs / 2);
  const { dryRun } = request;
  return { examined, moved, skipped, stoppedBy, next: stoppedBy === 'end' ? undefined : next, dryRun };
};

const walkDead = (world: World, { which, after }: BulkRequest, strays: boolean): AsyncGenerator<Step> =>
  'ids' in which ? byIds(world, which.ids, after) : byFilter(world, which.filter, strays, after);

async function* byIds(world: World, ids: readonly string[], after: string | undefined): AsyncGenerator<Step> {
  const from = after === undefined ? 0 : wholeIn(after);
  const [jobs, strays] = await Promise.all([
    world.store.readMany(ids),
    world.store.readStrays(ids.filter((id) => id.startsWith('stray-'))),
  ]);
  for (const [i, id] of ids.entries()) {
    if (i >= from) yield { id, job: jobs.get(id), stray: strays.get(id) === 'kept', position: String(i + 1) };
  }
}

/**
 * Walks over what was dead when the first call of the request began, so that a job which dies again behind the walk is
 * not met twice. That moment travels in the position: `<epoch ms>|<position in the index>`.
 */
async function* byFilter(
  world: World,
  filter: DeadFilter,
  strays: boolean,
  from: string | undefined,
): AsyncGenerator<Step> {
  const [began = String(world.clock.now()), ...rest] = from?.split('|') ?? [];
  // `before` is exclusive, and what died in this very millisecond was dead.
  const bound = { ...filter, before: Math.min(filter.before ?? Number.MAX_SAFE_INTEGER, wholeIn(began) + 1) };
  let after = from === undefined || rest.length === 0 ? undefined : rest.join('|');
  for (;;) {
    const page = await world.store.listDead({
      filter: bound,
      limit: bounds.pageLimitMax,
      order: 'oldest-first',
      after,
      strays,
    });
    for (const entry of page.entries) {
      const position = `${began}|${entry.position}`;
      if (entry.kind === 'job') yield { id: entry.job.id, job: entry.job, stray: false, position };
      else yield { id: entry.stray.id, job: undefined, stray: true, position };
    }
    if (page.next === undefined) return;
    after = page.next;
    yield { position: `${began}|${after}` };
  }
}

/** A count or a moment in a position, which may have been made up. */
const wholeIn = (text: string): number => {
  if (!/^\d{1,15}$/.test(text)) throw new UnfitPosition();
  return Number(text);
};

/** The work is done whether or not the sweep succeeds; the reconciler sweeps every minute. */
const sweepQuietly = async (world: World, until: number): Promise<void> => {
  try {
    await sweepDeadLetters(world, sweepMax, until);
  } catch {
    world.telemetry.note({ metric: 'MessagesSwept', code: 'sweep-failed', level: 'warn' });
  }
};
