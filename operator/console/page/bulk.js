/** @import { BulkAnswer } from '../../cli/answers.ts' */

/**
 * @typedef {{ readonly reason?: string, readonly type?: string, readonly tenant?: string }} DeadFilter
 * @typedef {{ readonly ids: readonly string[] } | { readonly filter: DeadFilter } | { readonly all: true }} Which
 *
 * @typedef {object} BulkRequest
 * @property {Which} which
 * @property {number} [rate]  a second
 * @property {boolean} [force]
 * @property {boolean} dryRun
 *
 * @typedef {Pick<BulkAnswer, 'examined' | 'moved' | 'skipped' | 'stoppedBy'>} Totals
 */

/** The API takes so many in one call. */
const callMax = 100;
/** With a rate, a call does the work of about this long, so that progress is seen and it can be stopped. */
const secondsPerCall = 2;
/** Calls in a row that ran out of time without looking at a single job, until it is given up. */
const idleCallsMax = 20;

/**
 * Works through a redrive or discard of any size, call by call and cursor by cursor, and yields what it has come to after
 * each call. Whoever stops listening stops it; what was moved stays moved, and it may be repeated.
 * @param {(body: object) => Promise<BulkAnswer>} call
 * @param {BulkRequest} request
 * @returns {AsyncGenerator<Totals, void>}
 */
export async function* workThrough(call, { which, rate, force = false, dryRun }) {
  /** @type {Totals} */
  let totals = { examined: 0, moved: 0, skipped: [], stoppedBy: 'end' };
  const limit = rate === undefined || dryRun ? callMax : Math.min(callMax, rate * secondsPerCall);
  for (const piece of pieces(which)) {
    /** @type {string | undefined} */
    let cursor;
    let idle = 0;
    do {
      const answer = await call({
        ...piece,
        limit,
        ...(rate !== undefined && { ratePerSecond: rate }),
        ...(force && { force }),
        ...(dryRun && { dryRun }),
        ...(cursor !== undefined && { cursor }),
      });
      cursor = answer.cursor;
      totals = {
        examined: totals.examined + answer.examined,
        moved: totals.moved + answer.moved,
        skipped: [...totals.skipped, ...answer.skipped],
        stoppedBy: answer.stoppedBy,
      };
      yield totals;
      if (answer.stoppedBy === 'full' || answer.stoppedBy === 'closed') return;
      idle = answer.examined > 0 ? 0 : idle + 1;
      if (idle >= idleCallsMax) return;
    } while (cursor !== undefined);
  }
}

/** @param {Which} which */
const pieces = (which) => {
  if (!('ids' in which)) return [which];
  const calls = Math.ceil(which.ids.length / callMax);
  return Array.from({ length: calls }, (_, i) => ({ ids: which.ids.slice(i * callMax, (i + 1) * callMax) }));
};
