import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod/mini';
import { checkBatch, checkSubmission } from '#core/submission.ts';
import {
  bulkBody,
  capacityBody,
  consumerBody,
  deadQuery,
  intakeBody,
  jobsQuery,
  operatorJobsQuery,
  waitQuery,
} from '#functions/http/inputs.ts';
import { faultsOf, operations, schemaOf } from '#test/support/openapi/document.ts';

const anyPayload = () => () => [];
const json = 'application/json';
const submits = (body: unknown, key = 'k') =>
  checkSubmission({ scope: 's', contentType: json, idempotencyKey: key, body: JSON.stringify(body) }, anyPayload);

/** What the code says to a body: '' where it takes it, else the pointers of what is wrong. */
const verdicts: Record<string, (body: unknown) => readonly string[]> = {
  Submission: (body) => {
    const checked = submits(body);
    return checked.ok ? [] : (checked.problem.errors ?? [{ pointer: '' }]).map((e) => e.pointer);
  },
  Batch: (body) => {
    const checked = checkBatch({ scope: 's', contentType: json, body: JSON.stringify(body) }, anyPayload);
    if (!checked.ok) return ['list'];
    return checked.value.flatMap((one) => (one.ok ? [] : ['job']));
  },
  ...Object.fromEntries(
    Object.entries({ Bulk: bulkBody, Intake: intakeBody, Capacity: capacityBody, Consumer: consumerBody }).map(
      ([name, schema]) => [
        name,
        (body: unknown) =>
          (schema as z.ZodMiniType)
            .safeParse(body)
            .error?.issues.map((issue) => (issue.code === 'custom' ? 'relation' : issue.path.join('/'))) ?? [],
      ],
    ),
  ),
};

const odd = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e300, '', 'x', 'x'.repeat(300), [], [1], {}, { a: 1 });
/** Mostly what is good, since a body is taken only if all of it is. */
const near = (good: readonly unknown[], bad: readonly unknown[] = []) =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: odd },
    { weight: bad.length, arbitrary: fc.constantFrom(...bad, null) },
  );
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd });
const members = (model: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.record(model) },
    { weight: 4, arbitrary: fc.record(model, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record(model).map((known) => ({ ...known, unknown: 1 })) },
  );

const options = mostly(
  members({
    delaySeconds: near([0, 900], [901, -1]),
    deadlineSeconds: near([1, 1_209_600], [0, 1_209_601]),
    waitBudgetSeconds: near([0, 43_200], [43_201]),
  }),
);
const job = {
  type: near(['ledger.credit', 'x'.repeat(100)], ['x'.repeat(101)]),
  payload: near([1, null, { a: [] }]),
  options,
};
const batched = members({ ...job, key: near(['a', 'A-Z_0.9:z', 'k'.repeat(64)], ['k'.repeat(65)]) });
const filter = members({
  reason: near(['permanent-error', 'forged'], ['none']),
  type: near(['a', 'x'.repeat(256)], ['x'.repeat(257)]),
  tenant: near(['a']),
  before: near(['2026-01-05T12:00:00Z', '2026-01-05T12:00:00.123+02:00'], ['2026-01-05', 'soon']),
  after: near(['2026-01-05T12:00:00Z']),
});

const bodies: Record<string, fc.Arbitrary<unknown>> = {
  Submission: mostly(members(job)),
  Batch: mostly(members({ jobs: mostly(fc.array(batched, { maxLength: 3 })) })),
  Bulk: mostly(
    members({
      ids: near([['a'], Array(100).fill('a')], [[], Array(101).fill('a'), ['']]),
      filter: mostly(filter),
      all: near([true, false]),
      limit: near([1, 100], [0, 101]),
      ratePerSecond: near([1, 100], [101]),
      dryRun: near([true]),
      force: near([true]),
      cursor: near(['abc']),
    }),
  ),
  Intake: mostly(members({ state: near(['open', 'closed'], ['draining']), mode: near(['drain', 'cancel'], ['stop']) })),
  Capacity: mostly(members({ capacity: near([1, 100_000, 3.0], [0, 100_001]) })),
  Consumer: mostly(members({ state: near(['running', 'paused'], ['pausing']) })),
};

describe('bodies: the document takes what the code takes, and refuses what it refuses', () => {
  it.each(Object.keys(bodies))('%s', (name) => {
    const seen = { taken: 0, refused: 0 };
    fc.assert(
      fc.property(bodies[name] ?? fc.constant(undefined), (body) => {
        const wrong = verdicts[name]?.(body) ?? [];
        const faults = faultsOf(schemaOf(name), body);
        seen[wrong.length === 0 ? 'taken' : 'refused'] += 1;
        // Which members go together stands in the descriptions: OpenAPI 3.0 can hardly say it in schemas.
        if (wrong.length > 0 && wrong.every((w) => w === 'relation')) return;
        expect({ body, faults: faults.length > 0 }).toEqual({ body, faults: wrong.length > 0 });
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(50);
  });
});

describe('keys', () => {
  it.each(['a', 'A-Z_0.9:z', 'k'.repeat(64), '"quoted"', '', 'a b', 'k'.repeat(65), '"', 'ü', '"a', 'a/b'])(
    '"%s"',
    (key) => {
      const parameter = operations.get('POST /jobs')?.parameters?.find(({ name }) => name === 'Idempotency-Key');
      const taken = submits({ type: 'a', payload: 1 }, key).ok;
      expect(faultsOf(parameter?.schema ?? {}, key).length === 0).toBe(taken);
    },
  );
});

describe('queries', () => {
  it.each([
    ['GET /jobs', jobsQuery],
    ['GET /operator/jobs', operatorJobsQuery],
    ['GET /operator/dead', deadQuery],
    ['GET /jobs/{id}', waitQuery],
  ] as const)('%s takes the names that the document says, with their bounds', (call, schema) => {
    const parameters = operations.get(call)?.parameters?.filter((parameter) => parameter.in === 'query') ?? [];
    expect(parameters.map(({ name }) => name).sort()).toEqual(Object.keys(schema.def.shape).sort());
    const texts = ['0', '1', '20', '21', '100', '101', 'dead', 'queued', 'none', 'forged', '', 'a', 'x'.repeat(257)];
    for (const { name, schema: said } of parameters) {
      for (const text of texts) {
        const value = said['type'] === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
        const taken = (schema as z.ZodMiniType).safeParse({ [name]: text }).success;
        expect({ name, text, taken: faultsOf(said, value).length === 0 }).toEqual({ name, text, taken });
      }
    }
  });
});
