import type { Submission } from '#core/submission.ts';
import { cancelJob } from '#flow/cancel.ts';
import { discard } from '#flow/discard.ts';
import { changeIntake } from '#flow/intake.ts';
import { changeCapacity, switchConsumer } from '#flow/operate.ts';
import { type Report, reconcile } from '#flow/reconcile.ts';
import { redrive } from '#flow/redrive.ts';
import { SlotView } from '#flow/slot-view.ts';
import { type Submitted, submit, submitMany } from '#flow/submit.ts';
import type { World } from '#flow/world.ts';
import { consumeBatch } from '#functions/consumer.ts';
import type { Received } from '../memory/job-queue.ts';
import type { Act } from './plan.ts';
import { eventOf } from './sqs-event.ts';
import type { System } from './system.ts';
import type { Actor } from './timeline.ts';
import { Violation } from './violation.ts';

interface Api {
  readonly actor: Actor;
  readonly world: World;
  readonly view: SlotView;
}

const second = 1_000;

/** The API's instances: each answers one request at a time, remembers its view, and is replaced when it has ended. */
export class ApiInstances {
  readonly #system: System;
  #idle: Api[] = [];

  constructor(system: System) {
    this.#system = system;
  }

  /** Undefined: the caller got no answer, or one that says nothing, since time was up or the answer was lost. */
  async submit(submission: Submission): Promise<Submitted | undefined> {
    return this.#answer(({ world, view }) => submit(world, view, submission, world.clock.now()));
  }

  /** Several in one request. */
  async submitMany(submissions: readonly Submission[]): Promise<readonly Submitted[] | undefined> {
    return this.#answer(({ world, view }) => submitMany(world, view, submissions, world.clock.now()));
  }

  async #answer<T>(work: (api: Api) => Promise<T>): Promise<T | undefined> {
    const { timeline, plan, chance } = this.#system;
    this.#idle = this.#idle.filter(({ actor }) => actor.alive && actor.frozenUntil <= timeline.now);
    const api = this.#idle.splice(chance.below(this.#idle.length + 1), 1)[0] ?? this.#create();
    const working = work(api);
    const late = timeline.sleep((plan.limits.apiTimeoutSeconds - 1) * second).then(() => undefined);
    const answer = await Promise.race([working, late]);
    // The rest of a request that was answered too late goes on beside the next one.
    this.#idle.push(api);
    return answer;
  }

  #create(): Api {
    const actor = this.#system.actor('api');
    const world = this.#system.world(actor, 'api');
    return { actor, world, view: new SlotView(world) };
  }
}

/** A client: repeats its request until it has an answer that settles it, or no patience is left. */
export const client = async (system: System, apis: ApiInstances, act: Act & { do: 'submit' }): Promise<void> => {
  const { submission } = act;
  for (let tries = 0; tries < act.tries; tries += 1) {
    const known = system.watch.jobs.has(submission.id);
    const answer = await apis.submit(submission);
    const seen = system.faults.on && system.chance.next() < 0.05 ? undefined : answer;
    system.watch.answered(submission, answer, known);
    const said = seen === undefined ? 'no answer' : seen.kind === 'refused' ? seen.problem.code : seen.kind;
    system.trace.say('client', `${submission.id.slice(0, 6)}: ${said}`);
    const again = seen === undefined || (seen.kind === 'refused' && seen.problem.code !== 'idempotency-conflict');
    if (!again) return;
    await system.timeline.sleep(system.chance.next() * 5 * second);
  }
};

/** A client with several requests at once, who leaves it at one try. */
export const bulkClient = async (
  system: System,
  apis: ApiInstances,
  act: Act & { do: 'submit-many' },
): Promise<void> => {
  const known = act.submissions.map(({ id }) => system.watch.jobs.has(id));
  const answers = await apis.submitMany(act.submissions);
  for (const [i, submission] of act.submissions.entries()) {
    system.watch.answered(submission, answers?.[i], known[i] ?? false);
  }
};

const operatorTimeoutMs = 28 * second;

/** What operators do, each call on an instance of its own. A call that fails or takes too long was not answered. */
export const operate = async (system: System, act: Act): Promise<void> => {
  const actor = system.actor('operator');
  const world = system.operatorWorld(actor);
  const until = system.timeline.now + operatorTimeoutMs;
  const remainingMs = () => until - system.timeline.now;
  const call = async (): Promise<void> => {
    switch (act.do) {
      case 'capacity':
        return changeCapacity(world, act.capacity, 'operator');
      case 'switch':
        return void (await switchConsumer(world, act.wanted, 'operator'));
      case 'cancel':
        return void (await cancelJob(world, act.id, undefined, 'operator'));
      case 'intake':
        return void (await changeIntake(world, { ...act, actor: 'operator' }, until));
      case 'redrive':
      case 'discard': {
        const which = act.ids === undefined ? { filter: {} } : { ids: act.ids };
        const { limit } = act;
        const bulk = { which, limit, ratePerSecond: undefined, dryRun: false, after: undefined, actor: 'operator' };
        if (act.do === 'discard') return void (await discard(world, bulk, remainingMs));
        return void (await redrive(world, new SlotView(world), { ...bulk, force: act.force }, remainingMs));
      }
    }
  };
  const answered = await Promise.race([
    call().then(
      () => true,
      () => false,
    ),
    system.timeline.sleep(operatorTimeoutMs).then(() => false),
  ]);
  system.trace.say(actor.name, `${act.do} ${answered ? 'answered' : 'has no answer'}`);
  if (answered && (act.do === 'capacity' || act.do === 'intake')) system.watch.slots.answered(actor.name);
};

/** One invocation of the reconciler. It ends at its time-out, whatever it was doing. */
export const reconcilerRun = async (system: System): Promise<void> => {
  const actor = system.actor('reconciler');
  const timeoutMs = system.plan.limits.reconcilerTimeoutSeconds * second;
  const until = system.timeline.now + timeoutMs;
  const end = system.timeline.after(timeoutMs, undefined, () => system.kill(actor, 'time-out'));
  try {
    const report = (await reconcile(system.reconcilerWorld(actor), () => until - system.timeline.now)) as Report;
    system.trace.say(actor.name, `done: freed ${report.freed}, repaired ${JSON.stringify(report.repaired)}`);
  } catch (error) {
    system.trace.say(actor.name, `failed: ${String(error)}`);
  }
  end.cancelled = true;
};

/** One invocation of the consumer with a batch, and what the mapping makes of its answer. */
export const invokeConsumer = async (system: System, records: readonly Received[]): Promise<void> => {
  const { timeline, plan, chance, queue, mutation, faults } = system;
  const actor = system.actor('worker');
  const timeoutMs = plan.limits.consumerTimeoutSeconds * second;
  const until = timeline.now + timeoutMs;
  system.trace.say(actor.name, `gets ${records.map((r) => `${r.messageId} (receive ${r.receiveCount})`).join(', ')}`);
  if (mutation?.acknowledgeFirst) for (const record of records) queue.acknowledge(record.receipt);
  let late = false;
  const end = timeline.after(timeoutMs, undefined, () => {
    late = true;
    if (faults.on && chance.next() < 0.4) system.freeze(actor, chance.next() * plan.weather.freezeMaxMs);
    else system.kill(actor, 'time-out');
  });
  let failed: ReadonlySet<string>;
  try {
    const response = await consumeBatch(system.consumerWorld(actor), eventOf(records), () => until - timeline.now);
    failed = new Set(response.batchItemFailures.map((failure) => failure.itemIdentifier));
  } catch (error) {
    throw new Violation('G6', `a batch was rejected as a whole: ${String(error)}`);
  }
  end.cancelled = true;
  if (late) return;
  system.trace.say(actor.name, `done, failed: ${[...failed].join(', ') || 'none'}`);
  for (const record of records) {
    const lost = faults.on && chance.next() < plan.weather.ackLost;
    if (!failed.has(record.messageId) && !lost) queue.acknowledge(record.receipt);
  }
};
