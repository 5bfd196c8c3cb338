import { describe, expect, it } from 'vitest';
import { describeFailure, framesOf } from '#core/failure.ts';

const thrown = (make: () => unknown): unknown => {
  try {
    return make();
  } catch (error) {
    return error;
  }
};

/** Its stack keeps the message that it had when somebody first looked at it. */
const changed = (error: Error, message: string): Error => {
  expect(error.stack).toContain(error.message);
  error.message = message;
  return error;
};

/** Messages that quote a caller, and try to look like what may be logged. */
const quoting: readonly (readonly [string, unknown])[] = [
  ['its message', new Error('planted')],
  ['a line of its message that looks like a frame', new Error('no\n    at planted (file:///planted.js:1:1)')],
  ['a message of frames alone', new Error('    at planted (file:///planted.js:1:1)')],
  ['what JSON.parse quotes of a text', thrown(() => JSON.parse('\nat planted {"a"'))],
  ['a message that was changed afterwards', changed(new Error('no\n    at planted'), 'another')],
  ['the message of its cause', new Error('no', { cause: new Error('no\n    at planted') })],
  ['a text that was thrown', 'at planted'],
];

describe('what is logged of an error', () => {
  it.each(quoting)('is not %s', (_, error) => {
    expect(JSON.stringify([framesOf(error), describeFailure(error)])).not.toContain('planted');
  });

  it('is its class and where it was thrown', () => {
    const error = new TypeError('no');
    expect(describeFailure(error)).toEqual({
      error: 'TypeError',
      at: expect.stringMatching(/^at .*failure\.test\.ts:\d+:\d+\)?$/),
    });
    expect(framesOf(error).length).toBeGreaterThan(1);
    expect(framesOf(new Error()).length).toBeGreaterThan(1);
  });
});
