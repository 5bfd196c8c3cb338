import { afterEach, expect, it, vi } from 'vitest';
import { localLimits } from '#core/limits.ts';
import { readConsumerEnv } from '#functions/env.ts';
import { jobRegistry } from '#functions/jobs/define-job.ts';
import { wireConsumer } from '#functions/wiring/consumer.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('a line that a handler logs names its job, and no other job’s line does', () => {
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  const { world } = wireConsumer(
    readConsumerEnv({
      SLUICE_LIMITS: JSON.stringify(localLimits),
      JOBS_TABLE_NAME: 'jobs',
      QUEUE_URL: 'https://queue',
      DEAD_LETTER_QUEUE_URL: 'https://dead',
      JOB_TABLES: '{}',
    }),
    jobRegistry(),
  );
  const lines: unknown[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((line) => lines.push(JSON.parse(String(line))) > 0);
  }
  const [one, two] = [world.log('one'), world.log('two')];
  one.info('first', { step: 1 });
  two.warn('second');
  one.info('third');
  vi.restoreAllMocks();
  expect(lines).toMatchObject([
    { level: 'INFO', message: 'first', jobId: 'one', detail: { step: 1 } },
    { level: 'WARN', message: 'second', jobId: 'two' },
    { level: 'INFO', message: 'third', jobId: 'one' },
  ]);
});
