import type { APIGatewayProxyEvent } from 'aws-lambda';
import { noSuchJob } from '#core/problem.ts';
import { findJob, status } from '#flow/inspect.ts';
import { changeIntake } from '#flow/intake.ts';
import { changeCapacity, switchConsumer } from '#flow/operate.ts';
import { SlotView } from '#flow/slot-view.ts';
import type { OperatorWorld } from '#flow/world.ts';
import { readOperatorEnv } from './env.ts';
import { json, ProblemError } from './http/answer.ts';
import { deadRoutes } from './http/dead-routes.ts';
import { bodyOf, capacityBody, consumerBody, intakeBody, noQuery, operatorJobsQuery, queryOf } from './http/inputs.ts';
import { cancelRoute, listRoute } from './http/job-routes.ts';
import { jobView } from './http/job-view.ts';
import { makeApi, type Route } from './http/router.ts';
import { onInstance } from './invocation.ts';
import { wireOperator } from './wiring/operator.ts';

/** Kept back from cancelling everything, for the status that is the answer. */
const answerReserveMs = 5_000;

/** What operators may call. */
export const operatorRoutes = (world: OperatorWorld): readonly Route[] => {
  const view = new SlotView(world);
  return [
    {
      method: 'GET',
      path: '/operator/status',
      answer: async (call) => {
        queryOf(call, noQuery);
        return json(200, await status(world));
      },
    },
    {
      method: 'POST',
      path: '/operator/capacity',
      answer: async (call) => {
        queryOf(call, noQuery);
        await changeCapacity(world, bodyOf(call, capacityBody).capacity, call.scope);
        return json(200, await status(world));
      },
    },
    {
      method: 'POST',
      path: '/operator/consumer',
      answer: async (call) => {
        queryOf(call, noQuery);
        const consumer = await switchConsumer(world, bodyOf(call, consumerBody).state, call.scope);
        return json(200, { ...(await status(world)), consumer });
      },
    },
    {
      method: 'GET',
      path: '/operator/jobs/:id',
      answer: async (call) => {
        queryOf(call, noQuery);
        const found = await findJob(world, call.params['id'] ?? '', undefined);
        if (found === undefined) throw new ProblemError(noSuchJob);
        return json(200, jobView(found.job, found.payload));
      },
    },
    {
      method: 'POST',
      path: '/operator/intake',
      answer: async (call) => {
        queryOf(call, noQuery);
        const { state, mode } = bodyOf(call, intakeBody);
        const until = world.clock.now() + call.remainingMs() - answerReserveMs;
        await changeIntake(world, { state, mode, actor: call.scope }, until);
        return json(200, await status(world));
      },
    },
    listRoute(world, '/operator/jobs', (call) => queryOf(call, operatorJobsQuery)),
    cancelRoute(world, '/operator/jobs/:id/cancel', () => undefined),
    ...deadRoutes(world, view),
  ];
};

let api: ReturnType<typeof makeApi> | undefined;

export const handler = onInstance(
  () => wireOperator(readOperatorEnv()),
  ({ world, logger, tenantClaim }, event: APIGatewayProxyEvent, context) => {
    api ??= makeApi(operatorRoutes(world), world, logger, tenantClaim);
    return api(event, context);
  },
);
