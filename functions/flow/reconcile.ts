import type { Control } from '#core/control.ts';
import { describeFailure } from '#core/failure.ts';
import { type QueueView, type Repair, reconcileLagSeconds } from '#core/reconciliation.ts';
import type { Shard } from '#core/slot.ts';
import type { ConsumerSwitch, ReconcilerMemory, RunMemory } from '#functions/ports.ts';
import { carryDrain, type DrainLook } from './intake.ts';
import { dealOut, needsDeal, readAllShards, readControl } from './registry.ts';
import { type Swept, sweepDeadLetters } from './sweep.ts';
import { type Guard, type Walk, walkSlots } from './walk-slots.ts';
import type { World } from './world.ts';

export interface ReconcilerWorld extends World {
  readonly consumer: Pick<ConsumerSwitch, 'state'>;
  readonly memory: ReconcilerMemory;
}

/** What a run did; the answer of the Lambda, and its log line. */
export interface Report {
  readonly ran: boolean;
  readonly slotsTaken: number;
  readonly capacity: number;
  readonly looked: number;
  readonly freed: number;
  readonly repaired: Readonly<Partial<Record<Exclude<Repair, 'none'>, number>>>;
  readonly stale: number;
  readonly failed: number;
  readonly dealt: boolean;
  readonly swept: Swept;
  readonly drain?: DrainLook;
}

/** Before the function's own end; what is left waits a minute. */
const reserveMs = 5_000;
/** A run that is invoked by hand waits this long for the scheduled one. */
const lockWaitMs = 10_000;
const lockPollMs = 200;

/** One run, alone and bounded. Every write in it is guarded, so a second run beside it would do no harm either. */
export const reconcile = async (
  world: ReconcilerWorld,
  remainingMs: () => number,
): Promise<Report | { ran: false }> => {
  const owner = world.random.hex(8);
  const startedAt = world.clock.now();
  const until = startedAt + remainingMs() - reserveMs;
  const memory = await lock(world, owner, startedAt + remainingMs(), Math.min(startedAt + lockWaitMs, until));
  if (memory === undefined) return { ran: false };
  const next = { ...memory, lastRunAt: startedAt };
  try {
    const { report, walk, pausedAt } = await run(world, memory, startedAt, until);
    Object.assign(next, { seen: walk.seen, fromShard: walk.nextShard, ...(pausedAt > 0 && { pausedAt }) });
    return report;
  } finally {
    await world.memory.release(owner, next);
  }
};

const lock = async (
  world: ReconcilerWorld,
  owner: string,
  end: number,
  giveUpAt: number,
): Promise<RunMemory | undefined> => {
  for (;;) {
    const got = await world.memory.acquire(owner, world.clock.now(), end);
    if (got.kind === 'acquired') return got.memory;
    if (world.clock.now() >= giveUpAt) return undefined;
    await world.clock.wait(lockPollMs);
  }
};

/** The steps of one run, in order. One broken record or service must not hold up the rest; the next run tries again. */
const run = async (
  world: ReconcilerWorld,
  memory: RunMemory,
  startedAt: number,
  until: number,
): Promise<{ readonly report: Report; readonly walk: Walk; readonly pausedAt: number }> => {
  const { limits } = world;
  let failed = 0;
  const guard: Guard = async (step, work, otherwise) => {
    try {
      return await work();
    } catch (error) {
      failed += 1;
      world.telemetry.note({
        metric: 'StepsFailed',
        code: step,
        level: 'error',
        detail: { ...describeFailure(error) },
      });
      return otherwise;
    }
  };
  const control = await readControl(world);
  const shards = await readAllShards(world, control);
  const queue = await lookAtQueue(world, guard, memory.pausedAt ?? 0);
  const walk = await walkSlots(world, shards, memory, queue, until, guard);
  const dealt = needsDeal(control, shards) ? await guard('deal', () => finishDeal(world, control), false) : true;
  const sweep = () => sweepDeadLetters(world, limits.sweepMessagesMax, until, limits.reconcilerPeriodSeconds);
  const swept = await guard('sweep', sweep, { examined: 0, deleted: 0, resent: 0, strays: 0 });
  const drain = await guard('drain', () => lookAtDrain(world, until), undefined);
  const report: Report = {
    ran: true,
    slotsTaken: countTokens(shards) - walk.freed,
    capacity: control.capacity,
    looked: walk.looked,
    freed: walk.freed,
    repaired: walk.repaired,
    stale: walk.stale,
    failed,
    dealt,
    swept,
    ...(drain && { drain }),
  };
  publish(world, report, walk, queue.backlog, { startedAt, lastRunAt: memory.lastRunAt, tokensLeft: walk.tokensLeft });
  return { report, walk, pausedAt: queue.pausedAt };
};

const countTokens = (shards: readonly (Shard | undefined)[]): number =>
  shards.reduce((sum, shard) => sum + (shard?.members.length ?? 0), 0);

type Queue = QueueView & { readonly backlog: number | undefined; readonly pausedAt: number };

/** Without SQS's counts or the mapping's state the careful answer is: a backlog may be there, and nothing is paused. */
const lookAtQueue = async (world: ReconcilerWorld, guard: Guard, pausedBefore: number): Promise<Queue> => {
  const [backlog, consumer] = await Promise.all([
    guard('backlog', () => world.queue.look(), undefined),
    guard('consumer', () => world.consumer.state(), undefined),
  ]);
  const paused = consumer === 'paused' || consumer === 'pausing';
  return {
    visible: backlog?.visible,
    paused,
    pausedAt: paused ? world.clock.now() : pausedBefore,
    backlog: backlog && backlog.visible + backlog.notVisible + backlog.delayed,
  };
};

const finishDeal = async (world: World, control: Control): Promise<boolean> => {
  const next = { ...control, version: control.version + 1 };
  return (await world.slots.changeControl(next)) && (await dealOut(world, next)) === 'dealt';
};

const lookAtDrain = async (world: World, until: number): Promise<DrainLook | undefined> => {
  const control = await readControl(world);
  return carryDrain(world, control, control.intake === 'draining' ? await world.queue.look() : undefined, until);
};

const publish = (
  { telemetry, clock, limits }: World,
  report: Report,
  walk: Walk,
  backlog: number | undefined,
  lag: Parameters<typeof reconcileLagSeconds>[0],
): void => {
  const { slotsTaken, capacity, looked, freed, stale, failed, swept } = report;
  telemetry.gauge('SlotsTaken', slotsTaken);
  telemetry.gauge('Capacity', capacity);
  if (backlog !== undefined) telemetry.gauge('Backlog', backlog);
  const now = clock.now();
  telemetry.gauge('OldestReadyAge', Math.max(0, Math.round((now - Math.min(now, walk.oldestReadyAt)) / 1000)));
  telemetry.gauge('ReconcileLag', reconcileLagSeconds(lag, limits));
  telemetry.note({
    metric: 'ReconcilerRuns',
    code: failed === 0 ? 'done' : 'partly',
    detail: { slotsTaken, looked, freed, stale, failed, swept: swept.examined },
  });
};
