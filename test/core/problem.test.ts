import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  intakeClosed,
  isRetryable,
  jobNotFound,
  type ProblemCode,
  problemStatus,
  queueFull,
  unavailable,
} from '#core/problem.ts';

/** Section 5 of the design, written out. */
const contract: Record<ProblemCode, number> = {
  'invalid-request': 400,
  'missing-idempotency-key': 400,
  'invalid-idempotency-key': 400,
  'unknown-job-type': 400,
  forbidden: 403,
  'caller-unknown': 403,
  'job-not-found': 404,
  'route-not-found': 404,
  'method-not-allowed': 405,
  'not-in-flight': 409,
  'payload-too-large': 413,
  'unsupported-media-type': 415,
  'idempotency-conflict': 422,
  'queue-full': 429,
  'tenant-quota': 429,
  'rate-limited': 429,
  internal: 500,
  'intake-closed': 503,
  unavailable: 503,
};

describe('the error codes of the contract', () => {
  it.each(Object.entries(contract))('%s is %i', (code, status) => {
    expect(problemStatus[code as ProblemCode]).toBe(status);
    expect(isRetryable(code as ProblemCode)).toBe(status === 429 || status === 503);
  });

  it('are all there are', () => {
    expect(Object.keys(problemStatus).sort()).toEqual(Object.keys(contract).sort());
  });
});

describe('when to come back', () => {
  it('full: 1 to 5 whole seconds, spread over all of them', () => {
    const seconds = (random: number) => queueFull(random).retryAfterSeconds;
    expect([0, 0.2, 0.4, 0.6, 0.8, 0.999999].map(seconds)).toEqual([1, 2, 3, 4, 5, 5]);
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (r) =>
        [1, 2, 3, 4, 5].includes(seconds(r) ?? 0),
      ),
    );
  });

  it('closed 60, unavailable 2, and never for what a repetition cannot change', () => {
    expect([intakeClosed.code, intakeClosed.retryAfterSeconds]).toEqual(['intake-closed', 60]);
    expect([unavailable.code, unavailable.retryAfterSeconds]).toEqual(['unavailable', 2]);
    expect(jobNotFound).not.toHaveProperty('retryAfterSeconds');
  });
});
