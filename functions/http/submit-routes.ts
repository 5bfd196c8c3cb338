import { jobNotFound, type Problem } from '#core/problem.ts';
import { checkBatch, checkSubmission, type PayloadChecks } from '#core/submission.ts';
import type { SlotView } from '#flow/slot-view.ts';
import { type Submitted, submit, submitMany } from '#flow/submit.ts';
import { waitForJob } from '#flow/wait-for-job.ts';
import type { World } from '#flow/world.ts';
import { json, ProblemError, problemBody } from './answer.ts';
import { noQuery, queryOf, waitQuery } from './inputs.ts';
import { jobView } from './job-view.ts';
import type { Call, Route } from './router.ts';

/** Kept back from a caller's wait, for the last read and the answer. */
const waitReserveMs = 1_000;

/** POST /jobs, POST /jobs/batch and GET /jobs/{id}. */
export const submitRoutes = (world: World, view: SlotView, checks: PayloadChecks): readonly Route[] => [
  {
    method: 'POST',
    path: '/jobs',
    answer: async (call) => {
      queryOf(call, noQuery);
      const checked = checkSubmission({ ...rawOf(call), idempotencyKey: call.header('idempotency-key') }, checks);
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
    method: 'POST',
    path: '/jobs/batch',
    answer: async (call) => {
      queryOf(call, noQuery);
      const checked = checkBatch(rawOf(call), checks);
      if (!checked.ok) throw new ProblemError(checked.problem);
      const good = checked.value.flatMap((one) => (one.ok ? [one.value] : []));
      const submitted = (await submitMany(world, view, good, call.receivedAt)).values();
      const results = checked.value.map((one) =>
        one.ok ? resultOf(submitted.next().value, call.requestId) : refusal(one.problem, call.requestId),
      );
      return json(200, { results });
    },
  },
  {
    method: 'GET',
    path: '/jobs/:id',
    answer: async (call) => {
      const { waitSeconds } = queryOf(call, waitQuery);
      const waitMs = Math.min(waitSeconds * 1000, Math.max(0, call.remainingMs() - waitReserveMs));
      const found = await waitForJob(world, call.params['id'] ?? '', call.scope, waitMs);
      if (found === undefined) throw new ProblemError(jobNotFound);
      return json(200, jobView(found.job, found.payload));
    },
  },
];

const rawOf = (call: Call) => ({ scope: call.scope, contentType: call.header('content-type'), body: call.body });

const refusal = (problem: Problem, requestId: string) => {
  const body = problemBody(problem, requestId);
  return { status: body.status, problem: body };
};

const resultOf = (submitted: Submitted | undefined, requestId: string) => {
  if (submitted === undefined) throw new Error('a bulk submission has fewer answers than jobs');
  if (submitted.kind === 'refused') return refusal(submitted.problem, requestId);
  return { status: submitted.kind === 'accepted' ? 202 : 200, job: jobView(submitted.job) };
};
