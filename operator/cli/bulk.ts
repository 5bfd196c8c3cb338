import { bounds } from '#core/limits.ts';
import { type BulkAnswer, bulkAnswer } from './answers.ts';
import type { Session } from './session.ts';

/** A redrive or discard of any size; the API takes it in pieces. */
export interface BulkRequest {
  readonly path: `/${string}`;
  readonly ids: readonly string[] | undefined;
  /** Neither ids nor filter: all. */
  readonly filter: Readonly<Record<string, string | undefined>> | undefined;
  /** Dead jobs that are looked at, at most. */
  readonly limit: number | undefined;
  readonly rate: number | undefined;
  readonly dryRun: boolean;
  readonly force: boolean;
}

/** What the pieces came to. */
export interface BulkTotals {
  readonly examined: number;
  readonly moved: number;
  readonly skipped: readonly { readonly id: string; readonly code: string }[];
  readonly stoppedBy: string;
}

/** Calls in a row that ran out of time without looking at a single job, until it is given up. */
const idleCallsMax = 20;
/** With a rate, a call does the work of about this long, so that progress is seen. */
const secondsPerCall = 5;

/** Goes from cursor to cursor until all is done, the limit is reached, or the API stops for want of slots or intake. */
export const workThrough = async (
  session: Session,
  request: BulkRequest,
  onAnswer: (totals: BulkTotals, text: string) => void,
): Promise<BulkTotals> => {
  const { path, limit = Number.POSITIVE_INFINITY, rate, dryRun, force } = request;
  let totals: BulkTotals = { examined: 0, moved: 0, skipped: [], stoppedBy: 'end' };
  const pieceMax = Math.min(bounds.pageLimitMax, (rate ?? bounds.pageLimitMax) * secondsPerCall);
  for (const which of pieces(request, session.io.now())) {
    let cursor: string | undefined;
    let idle = 0;
    do {
      if (totals.examined >= limit) return { ...totals, stoppedBy: 'limit' };
      const { body, text } = await session.call(bulkAnswer, 'POST', path, {
        ...which,
        limit: Math.min(pieceMax, limit - totals.examined),
        ...(rate !== undefined && { ratePerSecond: rate }),
        ...(dryRun && { dryRun }),
        ...(force && { force }),
        ...(cursor !== undefined && { cursor }),
      });
      totals = add(totals, body);
      onAnswer(totals, text);
      if (body.stoppedBy === 'full' || body.stoppedBy === 'closed') return totals;
      idle = body.examined > 0 ? 0 : idle + 1;
      if (idle >= idleCallsMax) return totals;
      cursor = body.cursor;
    } while (cursor !== undefined);
  }
  return { ...totals, stoppedBy: 'end' };
};

/**
 * What each run of calls works on. The API takes so many ids a call. A redrive without an end in time would meet its own
 * jobs again when they die anew, and redrive them until they were redriven too often: it ends with what is dead by now.
 */
const pieces = ({ path, ids, filter }: BulkRequest, now: number): readonly object[] => {
  if (ids === undefined) {
    if (path.endsWith('/redrive')) return [{ filter: { ...filter, before: filter?.['before'] ?? isoTime(now) } }];
    return [filter === undefined ? { all: true } : { filter }];
  }
  const count = Math.ceil(ids.length / bounds.idsMax);
  return Array.from({ length: count }, (_, i) => ({ ids: ids.slice(i * bounds.idsMax, (i + 1) * bounds.idsMax) }));
};

const isoTime = (ms: number): string => new Date(ms).toISOString();

const add = (totals: BulkTotals, { examined, moved, skipped, stoppedBy }: BulkAnswer): BulkTotals => ({
  examined: totals.examined + examined,
  moved: totals.moved + moved,
  skipped: [...totals.skipped, ...skipped],
  stoppedBy,
});
