import { states } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { cursorExample, queuedExample } from './examples.ts';
import { deadReasons, strayReasons } from './job-schemas.ts';
import type { Parameter } from './operation.ts';

const shortText = { type: 'string', minLength: 1, maxLength: 256 } as const;

export const idParameter: Parameter = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'The job’s id.',
  schema: { type: 'string' },
  example: queuedExample.id,
};

export const keyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'Names the job: the same key with the same request finds the same job again. It belongs to caller and job type. Bare, or in double quotes.',
  schema: { type: 'string', pattern: '^([A-Za-z0-9_.:-]{1,64}|"[A-Za-z0-9_.:-]{1,64}")$' },
  example: queuedExample.key,
};

export const waitParameter: Parameter = {
  name: 'waitSeconds',
  in: 'query',
  description: 'Wait this long for the job to leave flight, and answer as soon as it has.',
  schema: { type: 'integer', minimum: 0, maximum: bounds.waitSecondsMax, default: 0 },
};

const limit: Parameter = {
  name: 'limit',
  in: 'query',
  description: 'Jobs a page, at most.',
  schema: { type: 'integer', minimum: 1, maximum: bounds.pageLimitMax, default: bounds.pageLimitDefault },
};
const cursor: Parameter = {
  name: 'cursor',
  in: 'query',
  description: 'From the page before, with the same query.',
  schema: { type: 'string' },
  example: cursorExample,
};
const type: Parameter = { name: 'type', in: 'query', description: 'Only jobs of this type.', schema: shortText };
const tenant: Parameter = { name: 'tenant', in: 'query', description: 'Only jobs of this tenant.', schema: shortText };
const state: Parameter = {
  name: 'state',
  in: 'query',
  description: 'Only jobs in this state.',
  schema: { type: 'string', enum: states },
};
const reason: Parameter = {
  name: 'reason',
  in: 'query',
  description: 'Only what is dead for this reason; the last four are reasons of strays.',
  schema: { type: 'string', enum: [...deadReasons, ...strayReasons] },
};

export const jobListParameters: readonly Parameter[] = [state, type, limit, cursor];
export const operatorListParameters: readonly Parameter[] = [state, type, tenant, limit, cursor];
export const deadListParameters: readonly Parameter[] = [reason, type, tenant, limit, cursor];
