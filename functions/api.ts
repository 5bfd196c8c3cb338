import type { APIGatewayProxyEvent } from 'aws-lambda';
import { jobNotFound } from '#core/problem.ts';
import { checkSubmission } from '#core/submission.ts';
import { findJob } from '#flow/inspect.ts';
import { SlotView } from '#flow/slot-view.ts';
import { submit } from '#flow/submit.ts';
import type { World } from '#flow/world.ts';
import { readApiEnv } from './env.ts';
import { json, ProblemError } from './http/answer.ts';
import { noQuery, queryOf } from './http/inputs.ts';
import { jobView } from './http/job-view.ts';
import { makeApi, type Route } from './http/router.ts';
import { onInstance } from './invocation.ts';
import type { JobRegistry } from './jobs/define-job.ts';
import { registry } from './jobs/registry.ts';
import { wireApi } from './wiring.ts';

/** What submitters may call. */
export const apiRoutes = (world: World, jobs: JobRegistry): readonly Route[] => {
  const view = new SlotView(world);
  return [
    {
      method: 'POST',
      path: '/jobs',
      answer: async (call) => {
        queryOf(call, noQuery);
        const checked = checkSubmission(
          {
            scope: call.scope,
            contentType: call.header('content-type'),
            idempotencyKey: call.header('idempotency-key'),
            body: call.body,
          },
          (type) => jobs.get(type)?.check,
        );
        if (!checked.ok) throw new ProblemError(checked.problem);
        const submitted = await submit(world, view, checked.value, call.receivedAt);
        if (submitted.kind === 'refused') throw new ProblemError(submitted.problem);
        const location = { location: `/jobs/${submitted.job.id}` };
        return submitted.kind === 'accepted'
          ? json(202, jobView(submitted.job), location)
          : json(200, jobView(submitted.job), { ...location, 'idempotency-replayed': 'true' });
      },
    },
    {
      method: 'GET',
      path: '/jobs/:id',
      answer: async (call) => {
        queryOf(call, noQuery);
        const found = await findJob(world, call.params['id'] ?? '', call.scope);
        if (found === undefined) throw new ProblemError(jobNotFound);
        return json(200, jobView(found.job, found.payload));
      },
    },
  ];
};

export const createHandler = (jobs: JobRegistry) => {
  let api: ReturnType<typeof makeApi> | undefined;
  return onInstance(
    () => wireApi(readApiEnv()),
    ({ world, logger }, event: APIGatewayProxyEvent, context) => {
      api ??= makeApi(apiRoutes(world, jobs), world, logger);
      return api(event, context);
    },
  );
};

export const handler = createHandler(registry);
