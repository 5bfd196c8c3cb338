import { isFinal, isInFlight, type Job, type RunningJob } from '#core/job.ts';
import type { Limits } from '#core/limits.ts';
import { type Behaviour, endsOf } from './handlers.ts';
import { promise, Violation } from './violation.ts';

/** Which states may follow which, written out here and not taken from `transition`, which is what is tested. */
const mayFollow: Readonly<Record<Job['state'], readonly Job['state'][]>> = {
  queued: ['queued', 'running', 'cancelled', 'expired', 'dead'],
  retrying: ['retrying', 'running', 'cancelled', 'expired', 'dead'],
  running: ['running', 'succeeded', 'retrying', 'dead', 'cancelled', 'expired'],
  dead: ['queued', 'discarded'],
  succeeded: [],
  cancelled: [],
  expired: [],
  discarded: [],
};

const unchanging = ['id', 'type', 'key', 'scope', 'fingerprint', 'submittedAt'] as const;

export interface Move {
  readonly before: Job;
  readonly after: Job;
  /** The `from` of a finish: whose attempt it ends. */
  readonly finisher: RunningJob | undefined;
}

/** What the record of one job may do, checked at each of its changes. */
export class JobWatch {
  readonly #limits: Limits;
  /** Starts by id and tenure, and how many of them a retry without a burnt attempt has given back. */
  readonly #starts = new Map<string, number>();
  readonly #givenBack = new Map<string, number>();
  readonly #behaviours = new Map<string, Behaviour>();
  /** Starts, by id and number, of jobs that had lost a worker before. */
  readonly #suspects = new Set<string>();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  began(run: { readonly id: string; readonly starts: number; readonly behaviour: Behaviour }): void {
    const name = `${run.id}/${run.starts}`;
    promise('G5', !this.#behaviours.has(name), () => `start ${name} ran its handler twice`);
    this.#behaviours.set(name, run.behaviour);
  }

  isSuspect({ id, starts }: { readonly id: string; readonly starts: number }): boolean {
    return this.#suspects.has(`${id}/${starts}`);
  }

  moved(move: Move): void {
    const { before, after } = move;
    promise(
      isFinal(before) ? 'G3' : 'G6',
      mayFollow[before.state].includes(after.state),
      () => `${name(before)} became ${name(after)}`,
    );
    const started = after.state === 'running' && (before.state !== 'running' || before.owner !== after.owner);
    // A takeover recovers and starts in one write.
    const revs = started && before.state === 'running' ? 2 : 1;
    promise('fence', after.rev === before.rev + revs, () => `${name(before)} was overwritten by ${name(after)}`);
    for (const field of unchanging) {
      promise('G7', before[field] === after[field], () => `${field} of ${name(before)} changed`);
    }
    promise('G7', sameRequest(before, after), () => `the request of ${name(before)} changed`);
    promise('G7', keepsHistory(before, after), () => `the history of ${name(before)} was lost`);
    if (before.state === 'dead' && after.state === 'queued') this.#redriven(before, after);
    else promise('fence', before.tenure === after.tenure, () => `${name(before)} changed its tenure`);
    const starts = before.starts + (started ? 1 : 0);
    promise('G5', after.starts === starts, () => `${name(after)} counts ${after.starts} starts, not ${starts}`);
    if (started) this.#started(before, after as RunningJob);
    else if (before.state === 'running' && after.state !== 'running') this.#ended(move, before);
    if (after.state === 'dead') promise('G7', after.reason.code.length > 0, () => `${name(after)} has no reason`);
    const withinBudget = after.waitedMs <= after.waitBudgetMs;
    promise('G5', withinBudget, () => `${name(after)} waited beyond its budget`);
  }

  #redriven(before: Job, after: Job): void {
    promise('G7', after.tenure === before.tenure + 1, () => `a redrive of ${name(before)} is no new tenure`);
    promise('G1', after.slot.token !== before.slot.token, () => `${name(before)} was redriven on its old slot`);
  }

  #started(before: Job, after: RunningJob): void {
    const at = after.updatedAt;
    const key = `${after.id}/${after.tenure}`;
    if (after.losses > 0) this.#suspects.add(`${after.id}/${after.starts}`);
    const count = (this.#starts.get(key) ?? 0) + 1;
    this.#starts.set(key, count);
    const most = this.#limits.attemptsMax + (this.#givenBack.get(key) ?? 0);
    promise('G5', count <= most, () => `${name(after)} is start ${count} of its tenure`);
    promise('G5', after.attempt <= this.#limits.attemptsMax, () => `${name(after)} has too many attempts`);
    promise('G5', isDue(before, at, this.#limits), () => `${name(before)} was started too early, at ${at}`);
    const ahead = after.deadlineAt === undefined || at < after.deadlineAt;
    promise('G5', ahead, () => `${name(before)} was started after its deadline`);
  }

  /** A running job left its state: by the finish of its owner, or as lost. */
  #ended({ after, finisher }: Move, before: RunningJob): void {
    const wait = baseWait(before.attempt, this.#limits);
    if (finisher === undefined) {
      const recoverable = after.updatedAt >= before.leaseUntil + this.#limits.leaseGraceSeconds * 1000;
      promise('G5', recoverable, () => `${name(before)} was taken for lost within its lease`);
      const early = after.state === 'retrying' && after.nextAttemptAt < before.leaseUntil + wait;
      promise('G5', !early, () => `${name(after)} waits less than ${wait} ms after its loss`);
      return;
    }
    promise('fence', finisher.owner === before.owner, () => `a fenced owner ended ${name(before)} as ${after.state}`);
    if (after.state === 'retrying') {
      promise('G5', after.nextAttemptAt >= after.updatedAt + wait, () => `${name(after)} waits less than ${wait} ms`);
      if (after.attempt < before.attempt) {
        const key = `${after.id}/${after.tenure}`;
        this.#givenBack.set(key, (this.#givenBack.get(key) ?? 0) + 1);
      }
    }
    this.#fitsBehaviour(before, after);
  }

  #fitsBehaviour(before: RunningJob, after: Job): void {
    const behaviour = this.#behaviours.get(`${before.id}/${before.starts}`);
    const code = after.state === 'dead' ? after.reason.code : String(after.history.at(-1)?.detail?.['code'] ?? '');
    if (behaviour === undefined) {
      // A payload that could not be read gives the attempt back, until budget, deadline or a cancel ends that.
      const givenBack = code === 'store-unavailable' || code === 'wait-budget-exhausted';
      if (givenBack || after.state === 'expired' || after.state === 'cancelled') return;
      throw new Violation('G3', `${name(before)} ended without its handler (${code})`);
    }
    if (code === 'timeout' || code === 'finish-contended' || after.state === 'cancelled') return;
    // So does a checkpoint that could not read the job.
    if (code === 'store-unavailable' && checking.has(behaviour)) return;
    const end = endsOf[behaviour];
    const fits =
      after.state === 'succeeded'
        ? end === 'done'
        : after.state === 'dead' && code === 'permanent-error'
          ? end === 'dead'
          : end === 'again' || afterTimeout.has(code);
    promise('G5', fits, () => `${behaviour} led ${name(before)} to ${after.state} ${code}`);
  }
}

const checking: ReadonlySet<Behaviour> = new Set(['checkpoint-ok', 'slow-ok']);

/** Where a time-out may lead that was the last one allowed. */
const afterTimeout: ReadonlySet<string> = new Set(['wait-budget-exhausted', 'attempts-exhausted']);

const baseWait = (attempt: number, limits: Limits): number =>
  Math.min(limits.waitCapSeconds, limits.waitBaseSeconds * 2 ** (attempt - 1)) * 1000;

const isDue = (before: Job, at: number, limits: Limits): boolean => {
  if (before.state === 'running') {
    const wait = Math.max(limits.leaseGraceSeconds * 1000, baseWait(before.attempt, limits));
    return at >= before.leaseUntil + wait;
  }
  return before.state === 'queued' || before.state === 'retrying' ? at >= (before.nextAttemptAt ?? 0) : false;
};

const sameRequest = (before: Job, after: Job): boolean =>
  JSON.stringify([before.payload, before.options]) === JSON.stringify([after.payload, after.options]);

/** The entries that were there stay, in their order. */
const keepsHistory = (before: Job, after: Job): boolean =>
  after.history.length >= before.history.length &&
  JSON.stringify(before.history) === JSON.stringify(after.history.slice(0, before.history.length));

export const name = (job: Job): string =>
  `${job.id.slice(0, 6)} ${job.state} (tenure ${job.tenure}, attempt ${job.attempt}, rev ${job.rev}` +
  `${isInFlight(job) ? `, slot ${job.slot.token.slice(32, 38)}` : ''})`;
