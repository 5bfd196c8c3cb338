import { describe, expect, it } from 'vitest';
import { retryAfterSeconds } from '#functions/jobs/webhook/retry-after.ts';

const now = Date.UTC(1994, 10, 6, 8, 49, 7);

describe('Retry-After', () => {
  it.each([
    ['0', undefined],
    ['1', 1],
    [' 120 ', 120],
    ['9999999999', 9_999_999_999],
    ['99999999999', undefined],
    ['1.5', undefined],
    ['-1', undefined],
    ['1 s', undefined],
    ['', undefined],
    [undefined, undefined],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 30],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 30],
    ['Sun, 06 Nov 1994 08:49:07 GMT', undefined],
    ['Sun, 06 Nov 1994 08:49:06 GMT', undefined],
    ['Sun, 99 Nov 1994 08:49:37 GMT', undefined],
    ['1994-11-06T08:49:37Z', undefined],
    ['later', undefined],
  ])('%j is %s s', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  it('a date within the next second is a second', () => {
    expect(retryAfterSeconds('Sun, 06 Nov 1994 08:49:37 GMT', now + 29_001)).toBe(1);
  });
});
