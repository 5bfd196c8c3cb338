import { isInFlight, type Job } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { transition } from '#core/transition.ts';
import type { DeadFilter } from '#functions/ports.ts';
import { sendJob } from './send-job.ts';
import type { SlotView } from './slot-view.ts';
import { sweepDeadLetters } from './sweep.ts';
import { takeSlot } from './take-slot.ts';
import type { World } from './world.ts';

export interface RedriveRequest {
  /** Either ids, or all that the filter lets through, oldest first. */
  readonly which: { readonly ids: readonly string[] } | { readonly filter: DeadFilter };
  readonly limit: number;
  readonly ratePerSecond: number | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
  /** Where the last call of the same request stopped. */
  readonly after: string | undefined;
  readonly actor: string;
}

type SkipCode = 'job-not-found' | 'not-dead' | 'redrive-limit' | 'queue-full';
type StoppedBy = 'end' | 'full' | 'limit' | 'time' | 'closed';

export interface Redriven {
  readonly examined: number;
  readonly moved: number;
  readonly skipped: readonly { readonly id: string; readonly code: SkipCode }[];
  readonly stoppedBy: StoppedBy;
  /** Where to go on; absent at the end. */
  readonly next: string | undefined;
  readonly dryRun: boolean;
}

/** Kept back for the sweep and the answer. */
const reserveMs = 5_000;
const sweepMax = 50;

/**
 * Brings dead jobs back under their own id and key: slot, then record, then message, as in a submission, so a crash in
 * between is repaired like there, and two calls at once move each job once. Stops without losing its place when slots run
 * out, intake is closed, or `limit` or time is used up; at the end it clears old copies from the dead-letter queue.
 */
export const redrive = async (
  world: World,
  view: SlotView,
  request: RedriveRequest,
  remainingMs: () => number,
): Promise<Redriven> => {
  const until = world.clock.now() + remainingMs() - reserveMs;
  const walk =
    'ids' in request.which ? byIds(world, request, request.which.ids) : byFilter(world, request, request.which.filter);
  const skipped: { id: string; code: SkipCode }[] = [];
  let examined = 0;
  let moved = 0;
  let next = request.after;
  const stop = (stoppedBy: StoppedBy): Redriven => ({
    examined,
    moved,
    skipped,
    stoppedBy,
    next: stoppedBy === 'end' ? undefined : next,
    dryRun: request.dryRun,
  });
  let result: Redriven | undefined;
  for await (const candidate of walk) {
    if (world.clock.now() >= until) result = stop('time');
    else if (candidate.id !== undefined && examined >= request.limit) result = stop('limit');
    if (result !== undefined) break;
    if (candidate.id === undefined) {
      next = candidate.position;
      continue;
    }
    const what = await redriveOne(world, view, request, candidate);
    if (what === 'closed') {
      result = stop('closed');
      break;
    }
    examined += 1;
    if (what === 'queue-full') {
      // It keeps its place: the next call begins with it.
      skipped.push({ id: candidate.id, code: what });
      result = stop('full');
      break;
    }
    next = candidate.position;
    if (what === 'moved') moved += 1;
    else skipped.push({ id: candidate.id, code: what });
    if (what === 'moved' && !request.dryRun && request.ratePerSecond !== undefined) {
      await world.clock.wait(1000 / request.ratePerSecond);
    }
  }
  result ??= stop('end');
  if (moved > 0 && !request.dryRun) await sweepQuietly(world, until + reserveMs / 2);
  return result;
};

interface Candidate {
  readonly id: string;
  readonly job: Job | undefined;
  readonly position: string;
}
/** A stretch of the index without a match: the walk has moved on, and the clock is looked at. */
type Step = Candidate | { readonly id?: undefined; readonly position: string };

async function* byIds(world: World, request: RedriveRequest, ids: readonly string[]): AsyncGenerator<Step> {
  const from = request.after === undefined ? 0 : Number(request.after);
  const jobs = ids.length === 0 ? new Map<string, Job>() : await world.store.readMany(ids);
  for (const [i, id] of ids.entries()) {
    if (i >= from) yield { id, job: jobs.get(id), position: String(i + 1) };
  }
}

async function* byFilter(world: World, request: RedriveRequest, filter: DeadFilter): AsyncGenerator<Step> {
  let after = request.after;
  for (;;) {
    const page = await world.store.listDead({
      filter,
      limit: bounds.pageLimitMax,
      order: 'oldest-first',
      after,
      strays: false,
    });
    for (const entry of page.entries) {
      if (entry.kind === 'job') yield { id: entry.job.id, job: entry.job, position: entry.position };
    }
    if (page.next === undefined) return;
    after = page.next;
    yield { position: after };
  }
}

const redriveOne = async (
  world: World,
  view: SlotView,
  request: RedriveRequest,
  { id, job }: Candidate,
): Promise<'moved' | 'closed' | SkipCode> => {
  if (job === undefined) return 'job-not-found';
  const event = { type: 'redrive', actor: request.actor, force: request.force } as const;
  const now = world.clock.now();
  const rehearsal = transition(job, { ...event, now, slot: job.slot }, world.limits);
  if (!rehearsal.ok) return rehearsal.refusal === 'redrive-limit' ? 'redrive-limit' : 'not-dead';
  if (request.dryRun) return 'moved';
  const taking = await takeSlot(world, view, id);
  if (taking.kind === 'refused') return taking.why === 'intake-closed' ? 'closed' : 'queue-full';
  const next = transition(job, { ...event, now: world.clock.now(), slot: taking.slot }, world.limits);
  if (!next.ok) throw new Error(`the redrive of ${id} was decided and is refused: ${next.refusal}`);
  const saved = await world.store.save(job, next.job);
  // A repeated call of the SDK may find our own redrive already taken further by a consumer.
  const ours = saved.kind === 'saved' || saved.job?.slot.token === taking.slot.token;
  if (!ours) {
    // Somebody else was faster, so it is not dead any more, or discarded. Our token is carried by no record.
    await world.slots.free(taking.slot.shard, [taking.slot.token]);
    return saved.job === undefined ? 'job-not-found' : 'not-dead';
  }
  world.telemetry.note({
    metric: 'JobsRedriven',
    jobId: id,
    code: job.state === 'dead' ? job.reason.code : job.state,
    detail: { tenure: next.job.tenure, actor: request.actor, force: request.force },
  });
  // A send that fails leaves the job queued and marked; the reconciler sends it.
  if (isInFlight(next.job)) await sendJob(world, next.job);
  return 'moved';
};

/** The redrive is done whether or not the sweep succeeds; the reconciler sweeps every minute. */
const sweepQuietly = async (world: World, until: number): Promise<void> => {
  try {
    await sweepDeadLetters(world, sweepMax, until);
  } catch {
    world.telemetry.note({ metric: 'MessagesSwept', code: 'sweep-failed', level: 'warn' });
  }
};
