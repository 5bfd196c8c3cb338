import { parseMessage } from '#core/message.ts';
import { epoch } from '../memory/clock.ts';
import { ApiInstances, bulkClient, client, operate, reconcilerRun } from './actors.ts';
import { Mapping } from './mapping.ts';
import type { Mutation } from './mutation.ts';
import { type Act, type Plan, planOf } from './plan.ts';
import { System } from './system.ts';
import { trouble } from './troubles.ts';
import { Violation } from './violation.ts';
import { mayRest } from './watch.ts';

export interface RunOptions {
  readonly trace?: boolean;
  /** Names of acts and faults to leave out. */
  readonly disabled?: ReadonlySet<string>;
  readonly mutation?: Mutation | undefined;
}

export interface RunResult {
  readonly seed: number;
  readonly plan: Plan;
  readonly violation: Violation | undefined;
  readonly steps: number;
  readonly virtualMs: number;
  readonly counts: ReadonlyMap<string, number>;
  /** Everything that could be left out: the acts of the plan, and the faults that happened. */
  readonly removable: readonly string[];
  readonly trace: readonly string[];
}

const minuteMs = 60_000;
/** More virtual time than any repair may take, doubled patience included. */
const restWithinMs = 10 * 60 * minuteMs;
const stepsMax = 200_000;

/** One history: the plan of the seed happens, then the faults end, and the system has to come to rest. */
export const run = async (seed: number, options: RunOptions = {}): Promise<RunResult> => {
  const plan = planOf(seed);
  const disabled = options.disabled ?? new Set<string>();
  const system = new System(plan, { trace: options.trace ?? false, disabled, mutation: options.mutation });
  const { timeline, faults } = system;
  const acts = plan.acts.filter((act) => !disabled.has(act.name));
  const apis = new ApiInstances(system);
  for (const { atMs, what } of acts) {
    timeline.after(atMs, undefined, () => {
      void perform(system, apis, what).catch((error: unknown) => system.fail(error));
    });
  }
  new Mapping(system);
  const rest = new Rest(system);
  const tick = (): void => {
    rest.look();
    if (rest.reached) return;
    if (options.mutation?.noReconciler !== true) {
      void reconcilerRun(system).catch((error: unknown) => system.fail(error));
    }
    timeline.after(minuteMs, undefined, tick, true);
  };
  timeline.after(system.chance.below(minuteMs), undefined, tick, true);
  timeline.after(plan.activeMs, undefined, () => calmDown(system));
  try {
    while (!rest.reached && system.broken === undefined && (await timeline.step())) {
      if (timeline.steps > stepsMax) throw new Violation('G6', `no rest within ${stepsMax} steps`);
    }
    if (system.broken === undefined) system.watch.atRest();
  } catch (error) {
    system.fail(error);
  }
  return {
    seed,
    plan,
    violation: system.broken,
    steps: timeline.steps,
    virtualMs: timeline.now - epoch,
    counts: system.counts,
    removable: [...acts.map((act) => act.name), ...faults.happened],
    trace: system.trace.lines,
  };
};

const perform = (system: System, apis: ApiInstances, act: Act): Promise<void> => {
  switch (act.do) {
    case 'submit':
      return client(system, apis, act);
    case 'submit-many':
      return bulkClient(system, apis, act);
    case 'reconcile':
      return reconcilerRun(system);
    case 'capacity':
    case 'redrive':
    case 'discard':
    case 'intake':
    case 'cancel':
    case 'switch':
      return operate(system, act);
    default:
      return trouble(system, act);
  }
};

/** The faults end, and the consumer is switched on, however long its mapping takes. */
const calmDown = (system: System): void => {
  system.trace.say('weather', 'the faults end');
  system.faults.on = false;
  system.faults.outages.length = 0;
  // Again and again, since an operator's late call may still switch it off.
  const resume = async (): Promise<void> => {
    if ((await system.consumer.set('running')) === 'running') system.onSend();
    system.timeline.after(minuteMs / 4, undefined, resume, true);
  };
  void resume();
};

/** Looks once a minute whether all has come to rest, and how long what is left has been left. */
class Rest {
  readonly #system: System;
  #quietLooks = 0;
  reached = false;

  constructor(system: System) {
    this.#system = system;
  }

  look(): void {
    const { timeline, plan, faults, watch } = this.#system;
    if (faults.on || timeline.underWay > 0) return;
    const open = [...watch.jobs.values()].filter((job) => !mayRest(job));
    const left = this.#left();
    if (open.length === 0 && left === undefined) {
      this.reached = true;
      return;
    }
    if (timeline.now - epoch > plan.activeMs + restWithinMs) {
      const job = open[0];
      throw job === undefined
        ? (left ?? new Violation('G6', 'no rest'))
        : new Violation('G6', `${job.id.slice(0, 6)} is still ${job.state}`);
    }
    // With all jobs at rest, what they left behind has its own, shorter time.
    this.#quietLooks = open.length === 0 && this.#system.queue.messages().length === 0 ? this.#quietLooks + 1 : 0;
    if (this.#quietLooks > (plan.limits.orphanTokenSeconds * 1000) / minuteMs + 4 && left !== undefined) throw left;
  }

  #left(): Violation | undefined {
    const { watch, queue } = this.#system;
    if (watch.slots.taken > 0) return new Violation('G8', `${watch.slots.taken} slots are taken by nobody`);
    const [message] = queue.messages();
    if (message !== undefined) return new Violation('queue', `${message.messageId} stays in the main queue`);
    const superseded = queue.deadLetters().find(({ body }) => {
      const parsed = parseMessage(body);
      const job = parsed.ok ? watch.jobs.get(parsed.message.id) : undefined;
      if (!parsed.ok || job === undefined || job.fingerprint !== parsed.message.fingerprint) return false;
      if (parsed.message.tenure > job.tenure) return false;
      return job.state !== 'dead' || parsed.message.tenure < job.tenure;
    });
    return superseded && new Violation('sweep', `${superseded.messageId} stays in the dead-letter queue for nothing`);
  }
}
