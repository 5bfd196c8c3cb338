import { jobNotFound, noSuchJob } from '#core/problem.ts';
import { cancelJob } from '#flow/cancel.ts';
import type { World } from '#flow/world.ts';
import { json, ProblemError } from './answer.ts';
import { fromCursor, makeCursor, noBody, noQuery, queryOf } from './inputs.ts';
import { jobView } from './job-view.ts';
import type { Call, Route } from './router.ts';

/** POST …/{id}/cancel; `scopeOf` undefined: an operator's, for any job. */
export const cancelRoute = (world: World, path: `/${string}`, scopeOf: (call: Call) => string | undefined): Route => ({
  method: 'POST',
  path,
  answer: async (call) => {
    queryOf(call, noQuery);
    noBody(call);
    const cancelled = await cancelJob(world, call.params['id'] ?? '', scopeOf(call), call.scope);
    switch (cancelled.kind) {
      case 'cancelled':
        return json(200, jobView(cancelled.job));
      case 'requested':
        return json(202, jobView(cancelled.job));
      case 'not-in-flight':
        throw new ProblemError({
          code: 'not-in-flight',
          detail: `The job is ${cancelled.job.state}; only a queued, running or retrying one can be cancelled. To undo an effect, submit a job that does.`,
        });
      case 'not-found':
        throw new ProblemError(scopeOf(call) === undefined ? noSuchJob : jobNotFound);
    }
  },
});

interface ListInput {
  readonly state?: Parameters<World['store']['listJobs']>[0]['state'];
  readonly type?: string | undefined;
  readonly tenant?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** GET /jobs and GET /operator/jobs: newest first, a page may be short and still have a cursor. */
export const listRoute = (world: World, path: `/${string}`, inputOf: (call: Call) => ListInput): Route => ({
  method: 'GET',
  path,
  answer: async (call) => {
    const { limit, cursor, ...filter } = inputOf(call);
    const boundTo = [path, call.scope, filter];
    const page = await fromCursor(boundTo, cursor, 'query/cursor', (after) =>
      world.store.listJobs({ ...filter, limit, after, now: world.clock.now() }),
    );
    return json(200, {
      jobs: page.jobs.map((job) => jobView(job)),
      ...(page.next !== undefined && { cursor: makeCursor(boundTo, page.next) }),
    });
  },
});
