import { describe, expect, it } from 'vitest';
import { localLimits } from '#core/limits.ts';
import { readApiEnv, readConsumerEnv, readOperatorEnv } from '#functions/env.ts';

const api = { SLUICE_LIMITS: JSON.stringify(localLimits), JOBS_TABLE_NAME: 'jobs', QUEUE_URL: 'https://queue' };
const consumer = { ...api, DEAD_LETTER_QUEUE_URL: 'https://dead', JOB_TABLES: '{"ledger":"ledger-table"}' };

describe('the environment of the functions', () => {
  it('is read into typed values', () => {
    expect(readApiEnv(api)).toMatchObject({ SLUICE_LIMITS: localLimits, FAIR_QUEUES: false });
    expect(readApiEnv({ ...api, FAIR_QUEUES: 'true' }).FAIR_QUEUES).toBe(true);
    expect(readConsumerEnv(consumer).JOB_TABLES).toEqual({ ledger: 'ledger-table' });
  });

  it('names every variable that is missing or wrong, with what is wrong about it', () => {
    expect(() => readOperatorEnv({})).toThrow(/SLUICE_LIMITS.*JOBS_TABLE_NAME.*DEAD_LETTER_QUEUE_URL/s);
    expect(() => readConsumerEnv({ ...consumer, JOB_TABLES: '{' })).toThrow(/JOB_TABLES: /);
    expect(() => readConsumerEnv({ ...consumer, JOB_TABLES: '{"ledger":1}' })).toThrow(/JOB_TABLES: /);
    const narrow = JSON.stringify({ ...localLimits, visibilitySeconds: 17 });
    expect(() => readApiEnv({ ...api, SLUICE_LIMITS: narrow })).toThrow(/SLUICE_LIMITS: visibilitySeconds \(17\)/);
  });

  it.each(['1', 'true', 'on', 'YES'])('refuses to run with idempotency disabled: %s', (value) => {
    expect(() => readConsumerEnv({ ...consumer, POWERTOOLS_IDEMPOTENCY_DISABLED: value })).toThrow(
      /POWERTOOLS_IDEMPOTENCY_DISABLED: must not be set/,
    );
  });
});
