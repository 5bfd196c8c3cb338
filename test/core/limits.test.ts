import { describe, expect, it } from 'vitest';
import { assertLimits, bounds, type Limits, LimitsError, localLimits, productionLimits } from '#core/limits.ts';

describe('the limits of both stages', () => {
  it('hold every relation', () => {
    expect(assertLimits(productionLimits)).toBe(productionLimits);
    expect(assertLimits(localLimits)).toBe(localLimits);
  });

  it('are those of the design', () => {
    const { capacity, attemptsMax, waitBaseSeconds, waitCapSeconds, waitJitterRatio } = productionLimits;
    expect({ capacity, attemptsMax, waitBaseSeconds, waitCapSeconds, waitJitterRatio }).toEqual({
      capacity: 1_000,
      attemptsMax: 3,
      waitBaseSeconds: 1,
      waitCapSeconds: 60,
      waitJitterRatio: 0.25,
    });
    expect(productionLimits).toMatchObject({
      waitBudgetDefaultSeconds: 900,
      jobTimeoutSeconds: 30,
      consumerTimeoutSeconds: 60,
      visibilitySeconds: 360,
      batchWindowSeconds: 0,
      leaseGraceSeconds: 5,
      resendPatienceSeconds: 300,
      orphanTokenSeconds: 900,
      staleAfterSeconds: 900,
      returnsMax: 5,
      sweepMessagesMax: 100,
      redrivesMax: 3,
      redrivesForcedMax: 20,
      queueRetentionSeconds: 345_600,
      deadLetterRetentionSeconds: 1_209_600,
      finalRetentionSeconds: 2_592_000,
    });
    expect(localLimits).toMatchObject({
      capacity: 100,
      waitJitterRatio: 0,
      jobTimeoutSeconds: 2,
      consumerTimeoutSeconds: 3,
      visibilitySeconds: 18,
      leaseGraceSeconds: 1,
      resendPatienceSeconds: 10,
      orphanTokenSeconds: 30,
      staleAfterSeconds: 10,
    });
    expect(bounds).toMatchObject({
      payloadBytes: 65_536,
      slotsPerShard: 32,
      shardsTriedMax: 8,
      capacityMax: 100_000,
      handlerWritesMax: 97,
    });
  });
});

describe('a relation that does not hold', () => {
  const messageOf = (over: Partial<Limits>): string => {
    try {
      assertLimits({ ...productionLimits, ...over });
    } catch (error) {
      if (error instanceof LimitsError) return error.message;
      throw error;
    }
    return '';
  };

  /** Each with the last value that holds, the first that does not, and the numbers that the message must name. */
  it.each<[string, Partial<Limits>, Partial<Limits>, string[]]>([
    ['case 9 visibility', { visibilitySeconds: 360 }, { visibilitySeconds: 359 }, ['visibilitySeconds (359)', '360']],
    [
      'case 9 batch window',
      { visibilitySeconds: 365, batchWindowSeconds: 5 },
      { batchWindowSeconds: 5 },
      ['360', '365'],
    ],
    ['job timeout', { jobTimeoutSeconds: 54 }, { jobTimeoutSeconds: 55 }, ['(60)', 'consumerTimeoutSeconds (60)']],
    [
      'case 10 dead-letter retention',
      { deadLetterRetentionSeconds: 345_601 },
      { deadLetterRetentionSeconds: 345_600 },
      ['deadLetterRetentionSeconds (345600)', 'queueRetentionSeconds (345600)'],
    ],
    [
      'final retention',
      { finalRetentionSeconds: 2_592_000 },
      { finalRetentionSeconds: 2_591_999 },
      ['2591999', '2592000'],
    ],
    ['SDK time', { sdkTimeoutSeconds: 9 }, { sdkTimeoutSeconds: 10 }, ['(30)', 'apiTimeoutSeconds (28)']],
    ['API timeout', { apiTimeoutSeconds: 28 }, { apiTimeoutSeconds: 29 }, ['apiTimeoutSeconds (29)', 'below 29']],
    [
      'operator timeout',
      { operatorTimeoutSeconds: 28 },
      { operatorTimeoutSeconds: 29 },
      ['operatorTimeoutSeconds (29)', 'below 29'],
    ],
    [
      'reconciler',
      { reconcilerTimeoutSeconds: 59 },
      { reconcilerTimeoutSeconds: 60 },
      ['reconcilerTimeoutSeconds (60)', '(60)'],
    ],
    ['submit age', { submitAgeMaxSeconds: 885 }, { submitAgeMaxSeconds: 886 }, ['(900)', 'orphanTokenSeconds (900)']],
    ['orphans', { orphanTokenSeconds: 1_079 }, { orphanTokenSeconds: 1_080 }, ['(1201)', '1200']],
    ['wait base', { waitBaseSeconds: 60 }, { waitBaseSeconds: 61 }, ['(61)', 'waitCapSeconds (60)']],
    ['patience', { resendPatienceSeconds: 3_600 }, { resendPatienceSeconds: 3_601 }, ['(3601)', '(3600)']],
    ['drain', { drainSeconds: 121 }, { drainSeconds: 120 }, ['drainSeconds (120)', '(120)']],
    ['batch', { batchSize: 10 }, { batchSize: 11 }, ['batchSize (11)', 'batchWindowSeconds (0)']],
    ['concurrency', { consumerConcurrencyMax: 2 }, { consumerConcurrencyMax: 1 }, ['(1)', '2 to 1000']],
    ['capacity below', { capacity: 1 }, { capacity: 0 }, ['capacity (0)', '1 to 100000']],
    ['capacity above', { capacity: 100_000 }, { capacity: 100_001 }, ['capacity (100001)', '1 to 100000']],
    ['capacity whole', { capacity: 2 }, { capacity: 1.5 }, ['capacity (1.5)', '1 to 100000']],
    ['attempts below', { attemptsMax: 1 }, { attemptsMax: 0 }, ['attemptsMax (0)', '1 to 10']],
    ['attempts above', { attemptsMax: 10 }, { attemptsMax: 11 }, ['attemptsMax (11)', '1 to 10']],
    ['redrives', { redrivesMax: 20 }, { redrivesMax: 21 }, ['redrivesMax (21)', 'redrivesForcedMax (20)']],
    ['history', { attemptsMax: 10 }, { attemptsMax: 33 }, ['historyEntriesMax (200)', '68']],
  ])('%s: the boundary holds, one beyond names both numbers', (_, holds, breaks, numbers) => {
    expect(messageOf(holds)).toBe('');
    const message = messageOf(breaks);
    for (const number of numbers) expect(message).toContain(number);
  });

  it('is told together with the others, one a line', () => {
    expect(messageOf({ capacity: 0, redrivesMax: 21, visibilitySeconds: 1 }).split('\n')).toHaveLength(3);
  });

  it('is found in what is not a number, too', () => {
    expect(messageOf({ visibilitySeconds: Number.NaN })).toContain('visibilitySeconds: each must be');
  });
});

describe('limits that are no bounds', () => {
  it.each([
    ['missing', undefined],
    ['not a number', Number.NaN],
    ['negative', -1],
    ['a text', '5'],
  ])('%s: refused by name', (_, value) => {
    const odd = { ...productionLimits, viewMaxAgeSeconds: value, returnsMax: value } as unknown as Limits;
    expect(() => assertLimits(odd)).toThrow(/viewMaxAgeSeconds/);
    expect(() => assertLimits(odd)).toThrow(/returnsMax/);
  });
});
