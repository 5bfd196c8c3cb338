import { describe, expect, it } from 'vitest';
import type { Limits } from '#core/limits.ts';
import { productionStage } from '#infra/stages.ts';
import { templateOf } from '#test/support/infra/synthesize.ts';

const synthesize = (limits: Partial<Limits>) => () =>
  templateOf({ ...productionStage, limits: { ...productionStage.limits, ...limits } });

describe('synth refuses numbers that contradict one another', () => {
  it('case 9: a visibility below six times the function’s timeout, naming both', () => {
    expect(synthesize({ visibilitySeconds: 359 })).toThrow(
      /visibilitySeconds \(359\) must be at least 6 × consumerTimeoutSeconds \+ batchWindowSeconds \(360\)/,
    );
  });

  it('case 9: counts the batch window', () => {
    expect(synthesize({ batchWindowSeconds: 1 })).toThrow(/visibilitySeconds \(360\) .* \(361\)/);
  });

  it.each([86_400 * 4, 86_400 * 4 - 1])('case 10: dead letters kept for %i s, no longer than messages', (seconds) => {
    expect(synthesize({ deadLetterRetentionSeconds: seconds })).toThrow(
      new RegExp(`deadLetterRetentionSeconds \\(${seconds}\\) must exceed queueRetentionSeconds \\(345600\\)`),
    );
  });

  it('names every contradiction at once', () => {
    expect(synthesize({ visibilitySeconds: 1, apiTimeoutSeconds: 30 })).toThrow(
      /visibilitySeconds \(1\)[\s\S]*apiTimeoutSeconds \(30\)/,
    );
  });
});
