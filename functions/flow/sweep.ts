import { strayId } from '#core/identity.ts';
import type { InFlightJob } from '#core/job.ts';
import { parseMessage } from '#core/message.ts';
import { judgeDeadLetter } from '#core/reconciliation.ts';
import type { DeadLetter } from '#functions/ports.ts';
import { moveJob } from './save-transition.ts';
import { sendJob } from './send-job.ts';
import type { World } from './world.ts';

export interface Swept {
  readonly examined: number;
  readonly deleted: number;
  readonly resent: number;
  readonly strays: number;
}

const emptyReceivesMax = 2;
const strayPattern = /^stray-[0-9a-f]{32}$/;

/**
 * Looks at up to `max` messages of the dead-letter queue. A dead job's stays; one that nobody needs any more is deleted;
 * one whose job waits for it in vain is replaced by a fresh message; what belongs to no job is recorded as a stray. Those
 * that stay are hidden until all were looked at, so that none is received twice, and shown again at the end; where the
 * bound ended the sweep and another comes every `periodSeconds`, only after the next ones have seen what is behind them.
 */
export const sweepDeadLetters = async (world: World, max: number, until: number, periodSeconds = 0): Promise<Swept> => {
  const kept: string[] = [];
  const swept = { examined: 0, deleted: 0, resent: 0, strays: 0 };
  let empty = 0;
  try {
    while (swept.examined < max && empty < emptyReceivesMax && world.clock.now() < until) {
      // Hidden for as long as any caller of ours may work, so that none comes twice; a crash hides them no longer.
      const letters = await world.queue.receiveDead(world.limits.reconcilerTimeoutSeconds);
      empty = letters.length === 0 ? empty + 1 : 0;
      swept.examined += letters.length;
      // One at a time, so that two copies of one message meet the record in an order.
      for (const verdict of await sweepSome(world, letters)) {
        if (verdict.kept !== undefined) kept.push(verdict.kept);
        if (verdict.what !== undefined) swept[verdict.what] += 1;
      }
    }
  } finally {
    const aside = swept.examined >= max ? await asideSeconds(world, max, periodSeconds) : 0;
    await Promise.allSettled(kept.map((receipt) => world.queue.releaseDead(receipt, aside)));
  }
  return swept;
};

const asideMaxSeconds = 3_600;

/** As long as the sweeps to come need for all the others: with 250 messages and 100 a sweep, two and a half periods. */
const asideSeconds = async (world: World, max: number, periodSeconds: number): Promise<number> => {
  if (periodSeconds === 0) return 0;
  const { visible, notVisible } = await world.queue.lookDead().catch(() => ({ visible: 0, notVisible: 0 }));
  const sweeps = Math.ceil((visible + notVisible) / max);
  return Math.min(asideMaxSeconds, Math.max(0, Math.floor((sweeps - 0.5) * periodSeconds)));
};

interface Verdict {
  /** The receipt to show again. */
  readonly kept?: string;
  readonly what?: 'deleted' | 'resent' | 'strays';
}

const sweepSome = async (world: World, letters: readonly DeadLetter[]): Promise<readonly Verdict[]> => {
  const parsed = letters.map((letter) => parseMessage(letter.body));
  const ids = parsed.flatMap((p) => (p.ok ? [p.message.id] : []));
  const jobs = ids.length === 0 ? new Map() : await world.store.readMany(ids);
  const verdicts: Verdict[] = [];
  const sent = new Set<string>();
  for (const [i, letter] of letters.entries()) {
    const p = parsed[i];
    if (p === undefined) continue;
    const verdict = judgeDeadLetter(p, p.ok ? jobs.get(p.message.id) : undefined, world.clock.now(), world.limits);
    switch (verdict.act) {
      case 'leave':
        verdicts.push({ kept: letter.receipt });
        break;
      case 'delete':
        verdicts.push(await deleteLetter(world, letter));
        break;
      case 'stray':
        verdicts.push(await keepStray(world, letter, verdict.reason));
        break;
      case 'send-again':
        // A second copy of one job among the ten is not needed once the first was sent again.
        verdicts.push(
          await (sent.has(verdict.job.id) ? deleteLetter(world, letter) : sendAgain(world, letter, verdict.job)),
        );
        sent.add(verdict.job.id);
        break;
    }
  }
  return verdicts;
};

const deleteLetter = async (world: World, letter: DeadLetter): Promise<Verdict> => {
  await world.queue.deleteDead(letter.receipt);
  world.telemetry.note({ metric: 'MessagesSwept', code: 'superseded', detail: { messageId: letter.messageId } });
  return { what: 'deleted' };
};

/** A stray's message stays unchanged until an operator discards the stray. */
const keepStray = async (
  world: World,
  letter: DeadLetter,
  reason: Parameters<World['store']['recordStray']>[0]['reason'],
): Promise<Verdict> => {
  const claimed = letter.strayId !== undefined && strayPattern.test(letter.strayId) ? letter.strayId : undefined;
  const id = claimed ?? strayId(letter.messageId);
  const state = (await world.store.readStrays([id])).get(id);
  if (state === 'discarded') return deleteLetter(world, letter);
  const isNew = state === undefined && (await world.store.recordStray({ id, reason, receivedAt: world.clock.now() }));
  if (isNew) {
    world.telemetry.note({ metric: 'Strays', code: reason, level: 'warn', detail: { stray: id } });
  }
  return { kept: letter.receipt, ...(isNew && { what: 'strays' as const }) };
};

/** The message first: a send that fails must not count as a return. One copy too many does no harm. */
const sendAgain = async (world: World, letter: DeadLetter, job: InFlightJob): Promise<Verdict> => {
  if (!(await sendJob(world, job))) return { kept: letter.receipt };
  await moveJob(world, job, (current) =>
    current.tenure === job.tenure && current.attempt === job.attempt
      ? { type: 'resend', now: world.clock.now(), cause: 'returned' }
      : undefined,
  );
  world.telemetry.note({
    metric: 'MessagesResent',
    jobId: job.id,
    code: 'returned',
    level: 'warn',
    detail: { returns: job.returns + 1 },
  });
  await world.queue.deleteDead(letter.receipt);
  return { what: 'resent' };
};
