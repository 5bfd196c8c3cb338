import { type Control, cleanLooksNeeded, type Drain } from '#core/control.ts';
import { isInFlight } from '#core/job.ts';
import { tokenJobId } from '#core/slot.ts';
import type { Backlog } from '#functions/ports.ts';
import { cancelRead } from './cancel.ts';
import { changeRegistry, readAllShards } from './registry.ts';
import type { World } from './world.ts';

export interface IntakeRequest {
  readonly state: 'open' | 'closed';
  /** With `closed`: wait for what is in flight, or cancel it. */
  readonly mode: 'drain' | 'cancel' | undefined;
  readonly actor: string;
}

/**
 * Opens or closes the intake. Once this returns after a close, no slot is taken any more: every shard is shut by then. A
 * drain goes on in the reconciler; cancelling begins here, as far as `until` (epoch ms) lets it.
 */
export const changeIntake = async (world: World, request: IntakeRequest, until: number): Promise<Control> => {
  const { state, mode, actor } = request;
  const drain: Drain | undefined =
    state === 'closed' && mode !== undefined
      ? { mode, actor, until: world.clock.now() + world.limits.drainSeconds * 1000, cleanLooks: 0 }
      : undefined;
  const intake = drain === undefined ? state : 'draining';
  const control = await changeRegistry(world, () => ({ intake, drain }));
  world.telemetry.note({ metric: 'IntakeChanged', code: control.intake, detail: { actor, version: control.version } });
  if (drain?.mode === 'cancel' && control.intake === 'draining') await cancelAll(world, control, actor, until);
  return control;
};

const readAtOnce = 100;
const cancelsAtOnce = 8;

/** Cancels every job in flight once; what was admitted but has no record yet is met by the reconciler's next run. */
const cancelAll = async (world: World, control: Control, actor: string, until: number): Promise<void> => {
  const tokens = await takenTokens(world, control);
  for (let at = 0; at < tokens.length; at += readAtOnce) {
    const jobs = [...(await world.store.readMany(tokens.slice(at, at + readAtOnce).map(tokenJobId))).values()];
    const open = jobs.filter((job) => isInFlight(job) && !job.cancelRequested);
    for (let from = 0; from < open.length; from += cancelsAtOnce) {
      if (world.clock.now() >= until) return;
      await Promise.all(open.slice(from, from + cancelsAtOnce).map((job) => cancelRead(world, job, actor)));
    }
  }
};

const takenTokens = async (world: World, control: Control): Promise<readonly string[]> => {
  const shards = await readAllShards(world, control);
  return shards.flatMap((shard) => shard?.members ?? []);
};

/** Ids that a drain which has run out of time names, at most. */
const namesMax = 50;

export interface DrainLook {
  readonly intake: Control['intake'];
  readonly left: number;
  /** Messages that wait in the queue when nothing is in flight any more: strays and copies. */
  readonly leftovers: number;
  /** The ids of what was left at the end of the drain's time. */
  readonly names?: readonly string[];
}

/**
 * One look of the reconciler at a drain. Drained is what two successive looks find without a slot taken and without a
 * message being worked on: the last acknowledgement has come before that. Without SQS's counts a look finds nothing out.
 */
export const carryDrain = async (
  world: World,
  control: Control,
  backlog: Backlog | undefined,
  until: number,
): Promise<DrainLook | undefined> => {
  const { drain } = control;
  if (control.intake !== 'draining' || drain === undefined) return undefined;
  if (drain.mode === 'cancel') await cancelAll(world, control, drain.actor, until);
  const tokens = await takenTokens(world, control);
  const clean = tokens.length === 0 && backlog !== undefined && backlog.notVisible === 0;
  const cleanLooks = clean ? drain.cleanLooks + 1 : 0;
  const drained = cleanLooks >= cleanLooksNeeded;
  const over = !drained && world.clock.now() >= drain.until;
  const intake = drained ? 'drained' : over ? 'closed' : 'draining';
  if (!(await world.slots.noteDrain(control.version, intake, { ...drain, cleanLooks }))) return undefined;
  const leftovers = backlog === undefined ? 0 : backlog.visible + backlog.delayed;
  const look = { intake, left: tokens.length, leftovers } as const;
  if (intake === 'draining') return look;
  const names = [...new Set(tokens.map(tokenJobId))].slice(0, namesMax);
  world.telemetry.note({
    metric: 'IntakeChanged',
    code: drained ? 'drained' : 'drain-deadline',
    level: drained ? 'info' : 'warn',
    detail: { left: look.left, leftovers, names: names.join(' ') },
  });
  return { ...look, names };
};
