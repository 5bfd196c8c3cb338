import type { APIGatewayProxyEvent } from 'aws-lambda';
import { SlotView } from '#flow/slot-view.ts';
import type { World } from '#flow/world.ts';
import { readApiEnv } from './env.ts';
import { jobsQuery, queryOf } from './http/inputs.ts';
import { cancelRoute, listRoute } from './http/job-routes.ts';
import { makeApi, type Route } from './http/router.ts';
import { submitRoutes } from './http/submit-routes.ts';
import { onInstance } from './invocation.ts';
import type { JobRegistry } from './jobs/define-job.ts';
import { wireApi } from './wiring/api.ts';

/** What submitters may call. */
export const apiRoutes = (world: World, jobs: JobRegistry): readonly Route[] => [
  ...submitRoutes(world, new SlotView(world), (type) => jobs.get(type)?.check),
  listRoute(world, '/jobs', (call) => ({ ...queryOf(call, jobsQuery), tenant: call.scope })),
  cancelRoute(world, '/jobs/:id/cancel', (call) => call.scope),
];

export const createHandler = (jobs: JobRegistry) => {
  let api: ReturnType<typeof makeApi> | undefined;
  return onInstance(
    () => wireApi(readApiEnv()),
    ({ world, logger, tenantClaim }, event: APIGatewayProxyEvent, context) => {
      api ??= makeApi(apiRoutes(world, jobs), world, logger, tenantClaim);
      return api(event, context);
    },
  );
};
