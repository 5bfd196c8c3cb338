import type { APIGatewayProxyEvent } from 'aws-lambda';
import { jobNotFound } from '#core/problem.ts';
import { findJob, status } from '#flow/inspect.ts';
import { changeCapacity, switchConsumer } from '#flow/operate.ts';
import { redrive } from '#flow/redrive.ts';
import { SlotView } from '#flow/slot-view.ts';
import type { OperatorWorld } from '#flow/world.ts';
import { readOperatorEnv } from './env.ts';
import { json, ProblemError } from './http/answer.ts';
import {
  bodyOf,
  bulkBody,
  capacityBody,
  consumerBody,
  deadQuery,
  makeCursor,
  noQuery,
  queryOf,
  readCursor,
} from './http/inputs.ts';
import { jobView, strayView } from './http/job-view.ts';
import { makeApi, type Route } from './http/router.ts';
import { onInstance } from './invocation.ts';
import { wireOperator } from './wiring.ts';

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
        if (found === undefined) throw new ProblemError(jobNotFound);
        return json(200, jobView(found.job, found.payload));
      },
    },
    {
      method: 'GET',
      path: '/operator/dead',
      answer: async (call) => {
        const { limit, cursor, ...filter } = queryOf(call, deadQuery);
        const boundTo = ['dead', call.scope, filter];
        const after = readCursor(boundTo, cursor, 'query/cursor');
        const page = await world.store.listDead({ filter, limit, order: 'newest-first', after, strays: true });
        return json(200, {
          jobs: page.entries.map((entry) => (entry.kind === 'job' ? jobView(entry.job) : strayView(entry.stray))),
          ...(page.next !== undefined && { cursor: makeCursor(boundTo, page.next) }),
        });
      },
    },
    {
      method: 'POST',
      path: '/operator/dead/redrive',
      answer: async (call) => {
        queryOf(call, noQuery);
        const {
          ids,
          filter = {},
          limit,
          cursor,
          ratePerSecond,
          dryRun = false,
          force = false,
        } = bodyOf(call, bulkBody);
        const unique = ids && [...new Set(ids)];
        const boundTo = ['redrive', call.scope, unique ?? filter];
        const { next, ...done } = await redrive(
          world,
          view,
          {
            which: unique ? { ids: unique } : { filter },
            limit: limit ?? unique?.length ?? 50,
            ratePerSecond,
            dryRun,
            force,
            after: readCursor(boundTo, cursor, '/cursor'),
            actor: call.scope,
          },
          call.remainingMs,
        );
        return json(200, { ...done, ...(next !== undefined && { cursor: makeCursor(boundTo, next) }) });
      },
    },
  ];
};

let api: ReturnType<typeof makeApi> | undefined;

export const handler = onInstance(
  () => wireOperator(readOperatorEnv()),
  ({ world, logger }, event: APIGatewayProxyEvent, context) => {
    api ??= makeApi(operatorRoutes(world), world, logger);
    return api(event, context);
  },
);
