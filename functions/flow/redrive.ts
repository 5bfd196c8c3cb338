import { Unavailable } from '#core/failure.ts';
import { isInFlight } from '#core/job.ts';
import { transition } from '#core/transition.ts';
import { type Acted, type BulkRequest, type BulkResult, type Candidate, workThroughDead } from './bulk.ts';
import { sendJob } from './send-job.ts';
import type { SlotView } from './slot-view.ts';
import { takeSlot } from './take-slot.ts';
import type { World } from './world.ts';

export type RedriveRequest = BulkRequest & {
  /** Also beyond `redrivesMax`, up to `redrivesForcedMax`. */
  readonly force: boolean;
};

/**
 * Brings dead jobs back under their own id and key: slot, then record, then message, as in a submission, so a crash in
 * between is repaired like there, and two calls at once move each job once.
 */
export const redrive = (
  world: World,
  view: SlotView,
  request: RedriveRequest,
  remainingMs: () => number,
): Promise<BulkResult> =>
  workThroughDead(world, request, remainingMs, false, (candidate) => redriveOne(world, view, request, candidate));

const redriveOne = async (
  world: World,
  view: SlotView,
  request: RedriveRequest,
  { id, job }: Candidate,
): Promise<Acted> => {
  // A stray is no job: there is nothing that could run.
  if (job === undefined) return 'job-not-found';
  const event = { type: 'redrive', actor: request.actor, force: request.force } as const;
  const beganAt = world.clock.now();
  const rehearsal = transition(job, { ...event, now: beganAt, slot: job.slot }, world.limits);
  if (!rehearsal.ok) return rehearsal.refusal === 'redrive-limit' ? 'redrive-limit' : 'not-dead';
  if (request.dryRun) return 'moved';
  const taking = await takeSlot(world, view, job);
  // A tenant at its share is skipped like a full queue, but does not hold up the others.
  if (taking.kind === 'refused') return taking.why === 'intake-closed' ? 'closed' : taking.why;
  // As in a submission: a call that stood still for long must not bring a record for a slot that was freed meanwhile.
  if (world.clock.now() - beganAt > world.limits.submitAgeMaxSeconds * 1000)
    throw new Unavailable('the slot is too old');
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
