import { makeRunOnce } from '#adapters/run-once.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import type { ConsumerEnv } from '../env.ts';
import type { JobLogger, JobRegistry } from '../jobs/define-job.ts';
import { type Instance, wire } from './instance.ts';

export const wireConsumer = (env: ConsumerEnv, registry: JobRegistry): Instance<ConsumerWorld> => {
  const { world, logger, metrics, config } = wire(env);
  const log = (jobId: string): JobLogger => ({
    info: (message, detail) => logger.info(message, { jobId, detail }),
    warn: (message, detail) => logger.warn(message, { jobId, detail }),
  });
  return { world: { ...world, registry, runOnce: makeRunOnce(config.client), log }, logger, metrics };
};
