import { expect } from 'vitest';
import type { Answer } from './client.ts';

/** Checks that an answer is this refusal, whole: RFC 9457 with the contract's members and nothing else. */
export const expectProblem = (answer: Answer, status: number, code: string): void => {
  expect(answer.body).toEqual({
    type: 'about:blank',
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
    retryable: status === 429 || status === 503,
    requestId: expect.stringMatching(/./),
    ...(answer.body?.errors && { errors: expect.any(Array) }),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  for (const error of answer.body.errors ?? []) {
    expect(error).toEqual({ pointer: expect.any(String), detail: expect.stringMatching(/./) });
  }
};

/** The same for a refusal that names exactly these fields. */
export const expectFieldProblem = (answer: Answer, pointers: readonly string[], code = 'invalid-request'): void => {
  expectProblem(answer, 400, code);
  expect(answer.body.errors.map((error: { pointer: string }) => error.pointer)).toEqual(pointers);
};

/** A refusal because of capacity: the caller is told to come back within 1 to 5 whole seconds. */
export const expectQueueFull = (answer: Answer): void => {
  expectProblem(answer, 429, 'queue-full');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
};
