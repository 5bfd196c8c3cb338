import * as fc from 'fast-check';
import { admit } from '#core/admit.ts';
import type { Job, JobOptions } from '#core/job.ts';
import type { JobEvent } from '#core/job-event.ts';
import { type Limits, productionLimits } from '#core/limits.ts';
import type { Outcome } from '#core/outcome.ts';
import { transition } from '#core/transition.ts';
import { frozen, slotAt, t0 } from './jobs.ts';

/** One event that was offered to a job; `after` is undefined when it was refused. */
export interface Step {
  readonly before: Job;
  readonly event: JobEvent;
  readonly after: Job | undefined;
}

/** The life of one job under random events, as far as `transition` let it go. */
export interface Walk {
  readonly limits: Limits;
  readonly admitted: Job;
  readonly steps: readonly Step[];
}

const anyLimits: fc.Arbitrary<Limits> = fc
  .record({
    attemptsMax: fc.integer({ min: 1, max: 4 }),
    waitBaseSeconds: fc.integer({ min: 1, max: 3 }),
    waitCapSeconds: fc.constantFrom(2, 5, 60),
    waitJitterRatio: fc.constantFrom(0, 0.25, 0.5),
    waitBudgetDefaultSeconds: fc.constantFrom(0, 3, 10, 900),
    redrivesMax: fc.integer({ min: 0, max: 3 }),
  })
  .map((some) => ({ ...productionLimits, ...some }));

const anyOptions: fc.Arbitrary<JobOptions> = fc.record(
  {
    delaySeconds: fc.integer({ min: 0, max: 20 }),
    deadlineSeconds: fc.integer({ min: 30, max: 600 }),
    waitBudgetSeconds: fc.integer({ min: 0, max: 30 }),
  },
  { requiredKeys: [] },
);

const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('done' as const), result: fc.json(), external: fc.boolean() }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('retry' as const),
      code: fc.constantFrom('retryable-error' as const, 'timeout' as const, 'finish-contended' as const),
      message: fc.string(),
      burnsAttempt: fc.boolean(),
      afterSeconds: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      code: fc.constantFrom('permanent-error' as const, 'request-unreadable' as const),
      message: fc.string(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'cancelled' as const }) },
);

/** Everything random about a step; the event is made from it and the job as it is then. */
const anyMove = fc.record({
  kind: fc.oneof(
    { weight: 6, arbitrary: fc.constant('start' as const) },
    { weight: 6, arbitrary: fc.constant('finish' as const) },
    { weight: 2, arbitrary: fc.constant('recover' as const) },
    { weight: 2, arbitrary: fc.constant('redrive' as const) },
    {
      weight: 2,
      arbitrary: fc.constantFrom('cancel' as const, 'expire' as const, 'bury' as const, 'discard' as const),
    },
    { weight: 3, arbitrary: fc.constantFrom('mark-stale' as const, 'mark-stale' as const, 'clear-stale' as const) },
    { weight: 3, arbitrary: fc.constantFrom('resend' as const, 'mark-unsent' as const, 'mark-sent' as const) },
  ),
  elapsed: fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: 90_000 })),
  jitter: fc.double({ min: 0, max: 0.999, noNaN: true }),
  mine: fc.boolean(),
  force: fc.boolean(),
  outcome: anyOutcome,
  cause: fc.constantFrom('missing' as const, 'unsent' as const, 'returned' as const),
});
type Move = typeof anyMove extends fc.Arbitrary<infer M> ? M : never;

const eventOf = (move: Move, job: Job, now: number, n: number): JobEvent => {
  switch (move.kind) {
    case 'start':
      return { type: 'start', now, owner: `owner-${n}`, leaseUntil: now + 20_000 };
    case 'finish':
      return {
        type: 'finish',
        now,
        owner: job.state === 'running' && (move.mine || move.force) ? job.owner : 'somebody-else',
        outcome: move.outcome,
        jitter: move.jitter,
      };
    case 'recover':
      return { type: 'recover', now, jitter: move.jitter };
    case 'bury':
      return { type: 'bury', now, reason: { code: 'never-started', message: 'returned too often' } };
    case 'redrive':
      return {
        type: 'redrive',
        now,
        slot: slotAt(t0, n.toString(16).padStart(12, '0')),
        actor: 'op',
        force: move.force,
      };
    case 'cancel':
    case 'discard':
      return { type: move.kind, now, actor: 'op' };
    case 'resend':
      return { type: 'resend', now, cause: move.cause };
    default:
      return { type: move.kind, now };
  }
};

/** Random lives of jobs. Every job is handed over frozen, so a transition that changed its input would throw. */
export const anyWalk: fc.Arbitrary<Walk> = fc
  .tuple(anyLimits, anyOptions, fc.array(anyMove, { minLength: 1, maxLength: 40 }))
  .map(([limits, options, moves]) => {
    const admitted = frozen(
      admit(
        {
          id: '0123456789abcdef0123456789abcdef',
          type: 'ledger.credit',
          key: 'k',
          scope: '123456789012/AROAEXAMPLE',
          fingerprint: 'f'.repeat(64),
          payload: { inline: '{}' },
          options,
          slot: slotAt(t0),
          now: t0,
        },
        limits,
      ),
    );
    let now = t0;
    let job: Job = admitted;
    const steps = moves.map((move, n): Step => {
      now += move.elapsed;
      const event = eventOf(move, job, now, n + 1);
      const made = transition(job, event, limits);
      const step = { before: job, event, after: made.ok ? frozen(made.job) : undefined };
      job = step.after ?? job;
      return step;
    });
    // A counterexample is told by its events; the records would bury them.
    const told = () => JSON.stringify({ options, steps: steps.map((s) => [s.event, s.after?.state ?? 'refused']) });
    return { limits, admitted, steps, [fc.toStringMethod]: told };
  });

/** Only the steps that changed the job. */
export const changes = (walk: Walk): readonly (Step & { readonly after: Job })[] =>
  walk.steps.flatMap((step) => (step.after === undefined ? [] : [{ ...step, after: step.after }]));
