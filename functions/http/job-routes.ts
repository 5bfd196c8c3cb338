import { utf8Bytes } from '#core/json.ts';
import { jobNotFound, noSuchJob } from '#core/problem.ts';
import { cancelJob } from '#flow/cancel.ts';
import type { World } from '#flow/world.ts';
import type { JobsPage } from '#functions/ports.ts';
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
    const { jobs, next } = withinAnswer(page);
    return json(200, { jobs, ...(next !== undefined && { cursor: makeCursor(boundTo, next) }) });
  },
});

/**
 * Lambda answers with at most 6 MB, and our body is a text inside its JSON. A page that would be larger ends early, with
 * a cursor behind its last job. Source: "Lambda quotas" (invocation payload, synchronous).
 */
const answerBytesMax = 4_500_000;

const withinAnswer = ({ jobs, positions, next }: JobsPage) => {
  const views: ReturnType<typeof jobView>[] = [];
  let bytes = 0;
  for (const [i, job] of jobs.entries()) {
    const view = jobView(job);
    bytes += utf8Bytes(JSON.stringify(JSON.stringify(view)));
    if (bytes > answerBytesMax && i > 0) return { jobs: views, next: positions[i - 1] };
    views.push(view);
  }
  return { jobs: views, next };
};
