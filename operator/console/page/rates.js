/** @import { JobAnswer } from '../../cli/answers.ts' */

/** What is counted, by the events of the jobs' histories. */
export const kinds = /** @type {const} */ (['accept', 'succeed', 'retry', 'dead']);
/** @typedef {(typeof kinds)[number]} Kind */

export const windowMs = 5 * 60_000;
export const binMs = 10_000;
const binsMax = windowMs / binMs;

/**
 * @typedef {Pick<JobAnswer, 'id' | 'submittedAt' | 'history'>} Told
 * @typedef {{ readonly kind: Kind, readonly at: number }} Event
 */

/**
 * What happened to the newest jobs over the last minutes, put together from lists of them. The API has no counters to ask
 * for; each job carries its history. So this is a sample: jobs that were never on a list are not in it, and
 * `completeSince` tells from when on none is known to be missing.
 */
export class RecentEvents {
  /** @type {Map<string, readonly Event[]>} */
  #events = new Map();
  #newest = Number.NEGATIVE_INFINITY;
  #completeSince = Number.NEGATIVE_INFINITY;

  /**
   * True while the list does not reach back to what is known already, so that another page is of use.
   * @param {readonly Told[]} jobs newest first, all that this look has listed
   * @param {number} now
   */
  wantsMore(jobs, now) {
    const oldest = timeOf(jobs.at(-1));
    return oldest === undefined || oldest > Math.max(this.#newest, now - windowMs);
  }

  /**
   * @param {readonly Told[]} jobs
   * @param {boolean} hasMore the list goes on behind them
   * @param {number} now
   */
  add(jobs, hasMore, now) {
    const oldest = timeOf(jobs.at(-1));
    if (hasMore && oldest !== undefined && this.wantsMore(jobs, now)) this.#completeSince = oldest;
    for (const { id, history } of jobs) this.#events.set(id, eventsOf(history));
    this.#newest = Math.max(this.#newest, timeOf(jobs[0]) ?? this.#newest);
    for (const [id, events] of this.#events) {
      if (events.every(({ at }) => at < now - windowMs)) this.#events.delete(id);
    }
  }

  /** @param {number} now */
  isComplete(now) {
    return this.#completeSince <= now - windowMs;
  }

  get completeSince() {
    return this.#completeSince;
  }

  /**
   * How many of each kind in each stretch of `binMs`, oldest first. Stretches begin at whole multiples of their length,
   * and the one that still goes on is left out: it would always look like a fall.
   * @param {number} now
   */
  bins(now) {
    const last = Math.floor(now / binMs) - 1;
    const first = last - binsMax + 1;
    const counts = Object.fromEntries(kinds.map((kind) => [kind, new Array(binsMax).fill(0)]));
    for (const { kind, at } of this.#all()) {
      const bin = Math.floor(at / binMs) - first;
      const of = counts[kind];
      if (of?.[bin] !== undefined) of[bin] += 1;
    }
    return {
      starts: Array.from({ length: binsMax }, (_, i) => (first + i) * binMs),
      counts: /** @type {Readonly<Record<Kind, number[]>>} */ (counts),
    };
  }

  /**
   * How many of each kind within the last `ms`.
   * @param {number} now
   * @param {number} ms
   */
  totals(now, ms) {
    const totals = { accept: 0, succeed: 0, retry: 0, dead: 0 };
    for (const { kind, at } of this.#all()) if (at > now - ms) totals[kind] += 1;
    return totals;
  }

  *#all() {
    for (const events of this.#events.values()) yield* events;
  }
}

/** @param {Told | undefined} job */
const timeOf = (job) => {
  const at = Date.parse(job?.submittedAt ?? '');
  return Number.isNaN(at) ? undefined : at;
};

/**
 * @param {Told['history']} history
 * @returns {readonly Event[]}
 */
const eventsOf = (history) =>
  history.flatMap(({ event, at }) => {
    const kind = kinds.find((one) => one === event);
    return kind === undefined ? [] : [{ kind, at: Date.parse(at) }];
  });
