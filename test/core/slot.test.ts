import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeToken, tokenChars, tokenJobId, tokenMadeAt } from '#core/slot.ts';
import { t0 } from '#test/support/core/jobs.ts';

const id = '0123456789abcdef0123456789abcdef';
const nonce = '00ff00ff00ff';

describe('a slot token', () => {
  it('names the job and when it was made, in 26 bytes', () => {
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
    fc.assert(
      fc.property(hex(32), hex(12), fc.integer({ min: 0, max: 0xffffffff }), (job, random, second) => {
        const token = makeToken(job, random, second * 1000);
        expect(token).toMatch(/^[0-9a-f]{52}$/);
        expect(token).toHaveLength(tokenChars);
        expect(tokenJobId(token)).toBe(job);
        expect(tokenMadeAt(token)).toBe(second * 1000);
      }),
    );
  });

  it('is another for another nonce, so that two tenures of a job never share one', () => {
    expect(makeToken(id, nonce, t0)).not.toBe(makeToken(id, '00ff00ff00fe', t0));
  });

  it('keeps its time within a second', () => {
    expect(Math.abs(tokenMadeAt(makeToken(id, nonce, t0 + 999)) - (t0 + 999))).toBeLessThan(1_000);
  });

  it.each([
    ['an id of another length', 'abc', nonce, t0],
    ['an id in capitals', id.toUpperCase(), nonce, t0],
    ['a nonce of another length', id, '00', t0],
    ['a time before the epoch', id, nonce, -1_000],
    ['a time that four bytes do not hold', id, nonce, 2 ** 32 * 1000],
    ['no time', id, nonce, Number.NaN],
  ])('is not made of %s', (_, job, random, now) => {
    expect(() => makeToken(job, random, now)).toThrow(TypeError);
  });
});
