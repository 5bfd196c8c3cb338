import { type AdmissionRefusal, refusedByView } from '#core/admission.ts';
import { admit } from '#core/admit.ts';
import { describeFailure } from '#core/failure.ts';
import { keyDigest } from '#core/identity.ts';
import { type InFlightJob, isGone, isInFlight, type Job } from '#core/job.ts';
import { utf8Bytes } from '#core/json.ts';
import { bounds } from '#core/limits.ts';
import { intakeClosed, type Problem, queueFull, tenantQuota, unavailable } from '#core/problem.ts';
import type { Slot } from '#core/slot.ts';
import type { Submission } from '#core/submission.ts';
import { markSent, sendJob, sendJobs } from './send-job.ts';
import type { SlotView } from './slot-view.ts';
import { type Taking, takeSlot, takeSlots } from './take-slot.ts';
import type { World } from './world.ts';

export type Submitted =
  | { readonly kind: 'accepted'; readonly job: Job }
  | { readonly kind: 'replayed'; readonly job: Job }
  | { readonly kind: 'refused'; readonly problem: Problem };

/**
 * Takes a job in: slot, record, message, in this order, and nothing is ever withdrawn, since the record is the outbox.
 * `receivedAt` is when the request came (epoch ms); a request too old brings no record any more, so that its slot may be
 * freed. Never throws for a service that failed: the answer is then `unavailable`, and the same key finds the same job.
 */
export const submit = async (
  world: World,
  view: SlotView,
  submission: Submission,
  receivedAt: number,
): Promise<Submitted> => {
  try {
    const refused = refusedByView(view.current, world.clock.now(), world.limits);
    return refused === undefined
      ? ((await replayOfRecent(world, view, submission)) ?? (await admitOne(world, view, submission, receivedAt)))
      : await replayOr(world, view, submission, () => refuse(world, submission, refused));
  } catch (error) {
    return failed(world, submission, error);
  }
};

/** One read where this instance has met the id, instead of a slot taken, a record refused, and the slot given back. */
const replayOfRecent = async (world: World, view: SlotView, submission: Submission): Promise<Submitted | undefined> =>
  view.recent.has(submission.id) ? replayOfKnown(world, view, submission) : undefined;

const failed = (world: World, submission: Submission, error: unknown): Submitted => {
  world.telemetry.note({
    metric: 'JobsRefused',
    jobId: submission.id,
    code: 'unavailable',
    level: 'error',
    detail: { ...describeFailure(error) },
  });
  return { kind: 'refused', problem: unavailable };
};

const admitOne = async (
  world: World,
  view: SlotView,
  submission: Submission,
  receivedAt: number,
): Promise<Submitted> => {
  const [taking, backlogFull] = await Promise.all([takeSlot(world, view, submission), view.backlogFull()]);
  const recorded = await recordTaken(world, view, submission, receivedAt, taking, backlogFull);
  if (recorded.kind !== 'recorded') return recorded;
  return accepted(world, recorded.job, await sendJob(world, recorded.job));
};

/** Everything of a submission between its slot and its message. */
const recordTaken = async (
  world: World,
  view: SlotView,
  submission: Submission,
  receivedAt: number,
  taking: Taking,
  backlogFull: boolean,
): Promise<Submitted | { readonly kind: 'recorded'; readonly job: InFlightJob }> => {
  if (taking.kind === 'refused') return replayOr(world, view, submission, () => refuse(world, submission, taking.why));
  const { slot } = taking;
  if (backlogFull) {
    const known = await world.store.read(submission.id);
    // Never one that the record carries: by chance two submissions of one key may have made the same token.
    if (known?.slot.token !== slot.token) await world.slots.free(slot.shard, [slot.token]);
    return isKnown(world, known) ? replay(world, view, submission, known) : refuse(world, submission, 'queue-full');
  }
  const apart = utf8Bytes(submission.payload) > bounds.inlinePayloadBytes;
  if (apart) await world.store.writePayload(slot.token, submission.payload);
  const now = world.clock.now();
  if (now - receivedAt > world.limits.submitAgeMaxSeconds * 1000) throw new Error('the request is too old to write');
  const payload = apart ? { item: slot.token } : { inline: submission.payload };
  const job = admit({ ...submission, payload, slot, now }, world.limits);
  // Also where the answer is lost, or the message cannot be sent: the caller will come again.
  view.recent.remember(job.id);
  const inserted = await world.store.insert(job, now);
  if (inserted.kind === 'inserted') return { kind: 'recorded', job };
  await giveBack(world, slot, apart, inserted.job);
  return replay(world, view, submission, inserted.job);
};

/** The job is in whether or not its message went out; without it the answer is 503, and the same key finds the job. */
const accepted = (world: World, job: InFlightJob, sent: boolean): Submitted => {
  world.telemetry.note({
    metric: 'JobsAccepted',
    jobId: job.id,
    code: 'accepted',
    detail: { type: job.type, key: keyDigest(job.key) },
  });
  return sent ? { kind: 'accepted', job } : { kind: 'refused', problem: unavailable };
};

/**
 * Takes several jobs in, each with the guarantees of a single submission and an answer of its own, in fewer requests:
 * slots are taken together and messages sent together. A key that stands twice is one job: the later one is its replay.
 */
export const submitMany = async (
  world: World,
  view: SlotView,
  submissions: readonly Submission[],
  receivedAt: number,
): Promise<readonly Submitted[]> => {
  const first = new Map<string, Submission>();
  for (const submission of submissions) if (!first.has(submission.id)) first.set(submission.id, submission);
  const firsts: Submission[] = [];
  const recent: Submission[] = [];
  for (const submission of first.values()) (view.recent.has(submission.id) ? recent : firsts).push(submission);
  const answers = new Map<Submission, Submitted>();
  await Promise.all([
    firsts.length > 0 && admitMany(world, view, firsts, receivedAt, answers),
    ...recent.map(async (submission) => answers.set(submission, await submit(world, view, submission, receivedAt))),
  ]);
  // In their order, after the first of their key: replays and conflicts.
  const results: Submitted[] = [];
  for (const submission of submissions) {
    results.push(answers.get(submission) ?? (await submit(world, view, submission, receivedAt)));
  }
  return results;
};

/** Puts the answer to each of `firsts` into `answers`. Their ids differ. */
const admitMany = async (
  world: World,
  view: SlotView,
  firsts: readonly Submission[],
  receivedAt: number,
  answers: Map<Submission, Submitted>,
): Promise<void> => {
  try {
    const [takings, backlogFull] = await Promise.all([takeSlots(world, view, firsts), view.backlogFull()]);
    const recorded = await Promise.all(
      firsts.map((submission, i) =>
        recordTaken(world, view, submission, receivedAt, takings[i] ?? noTaking, backlogFull).catch((error) =>
          failed(world, submission, error),
        ),
      ),
    );
    const jobs = recorded.flatMap((one) => (one.kind === 'recorded' ? [one.job] : []));
    const unsent = await sendJobs(world, jobs);
    for (const [i, one] of recorded.entries()) {
      const submission = firsts[i];
      if (submission === undefined) continue;
      answers.set(submission, one.kind === 'recorded' ? accepted(world, one.job, !unsent.has(one.job.id)) : one);
    }
  } catch (error) {
    for (const submission of firsts) answers.set(submission, failed(world, submission, error));
  }
};

const noTaking: Taking = { kind: 'refused', why: 'queue-full' };

/** After a definite refusal the taker frees its own token; never one that the record carries, whoever brought it. */
const giveBack = async (world: World, slot: Slot, apart: boolean, existing: Job): Promise<void> => {
  if (existing.slot.token === slot.token) return;
  if (apart) await world.store.deletePayload(slot.token);
  await world.slots.free(slot.shard, [slot.token]);
};

/** A known job is answered even when full or closed. */
const replayOr = async (
  world: World,
  view: SlotView,
  submission: Submission,
  otherwise: () => Submitted,
): Promise<Submitted> => (await replayOfKnown(world, view, submission)) ?? otherwise();

const replayOfKnown = async (world: World, view: SlotView, submission: Submission): Promise<Submitted | undefined> => {
  const job = await world.store.read(submission.id);
  return isKnown(world, job) ? replay(world, view, submission, job) : undefined;
};

const isKnown = (world: World, job: Job | undefined): job is Job =>
  job !== undefined && !isGone(job, world.clock.now());

const replay = async (world: World, view: SlotView, submission: Submission, job: Job): Promise<Submitted> => {
  view.recent.remember(job.id);
  if (job.fingerprint !== submission.fingerprint) {
    world.telemetry.note({ metric: 'JobsConflicted', jobId: job.id, code: 'idempotency-conflict', level: 'warn' });
    return {
      kind: 'refused',
      problem: {
        code: 'idempotency-conflict',
        detail: `This key already stands for another request, job ${job.id}. Nothing was changed; use a new key for a new job.`,
      },
    };
  }
  if (job.unsent && isInFlight(job)) {
    if (!(await sendJob(world, job))) return { kind: 'refused', problem: unavailable };
    await markSent(world, job);
  }
  world.telemetry.note({ metric: 'JobsReplayed', jobId: job.id, code: job.state });
  return { kind: 'replayed', job };
};

const refuse = (world: World, submission: Submission, why: AdmissionRefusal): Submitted => {
  world.telemetry.note({ metric: 'JobsRefused', jobId: submission.id, code: why, level: 'warn' });
  return { kind: 'refused', problem: problemOf(why, world.random.next()) };
};

const problemOf = (why: AdmissionRefusal, random: number): Problem => {
  if (why === 'intake-closed') return intakeClosed;
  return why === 'tenant-quota' ? tenantQuota(random) : queueFull(random);
};
