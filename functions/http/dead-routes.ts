import type { BulkRequest, BulkResult } from '#flow/bulk.ts';
import { discard } from '#flow/discard.ts';
import { redrive } from '#flow/redrive.ts';
import type { SlotView } from '#flow/slot-view.ts';
import type { World } from '#flow/world.ts';
import { json } from './answer.ts';
import { bodyOf, bulkBody, deadQuery, fromCursor, makeCursor, noQuery, queryOf } from './inputs.ts';
import { jobView, strayView } from './job-view.ts';
import type { Call, Route } from './router.ts';

/** GET /operator/dead, and the two calls that work through it. */
export const deadRoutes = (world: World, view: SlotView): readonly Route[] => [
  {
    method: 'GET',
    path: '/operator/dead',
    answer: async (call) => {
      const { limit, cursor, ...filter } = queryOf(call, deadQuery);
      const boundTo = ['dead', call.scope, filter];
      const page = await fromCursor(boundTo, cursor, 'query/cursor', (after) =>
        world.store.listDead({ filter, limit, order: 'newest-first', after, strays: true }),
      );
      return json(200, {
        jobs: page.entries.map((entry) => (entry.kind === 'job' ? jobView(entry.job) : strayView(entry.stray))),
        ...(page.next !== undefined && { cursor: makeCursor(boundTo, page.next) }),
      });
    },
  },
  bulkRoute('/operator/dead/redrive', (request, force, call) =>
    redrive(world, view, { ...request, force }, call.remainingMs),
  ),
  bulkRoute('/operator/dead/discard', (request, _force, call) => discard(world, request, call.remainingMs)),
];

const bulkRoute = (
  path: `/${string}`,
  work: (request: BulkRequest, force: boolean, call: Call) => Promise<BulkResult>,
): Route => ({
  method: 'POST',
  path,
  answer: async (call) => {
    queryOf(call, noQuery);
    const { ids, filter = {}, limit, cursor, ratePerSecond, dryRun = false, force = false } = bodyOf(call, bulkBody);
    const unique = ids && [...new Set(ids)];
    const boundTo = [path, call.scope, unique ?? filter];
    const request = {
      which: unique ? { ids: unique } : { filter },
      limit: limit ?? unique?.length ?? defaultLimit,
      ratePerSecond,
      dryRun,
      actor: call.scope,
    };
    const { next, ...done } = await fromCursor(boundTo, cursor, '/cursor', (after) =>
      work({ ...request, after }, force, call),
    );
    return json(200, { ...done, ...(next !== undefined && { cursor: makeCursor(boundTo, next) }) });
  },
});

/** Where neither a limit nor ids say how many. */
const defaultLimit = 50;
