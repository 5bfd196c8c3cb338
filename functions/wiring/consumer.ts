import { makeRunOnce } from '#adapters/run-once.ts';
import type { ConsumerWorld } from '#flow/attempt.ts';
import type { ConsumerEnv } from '../env.ts';
import type { JobRegistry } from '../jobs/define-job.ts';
import { type Instance, wire } from './instance.ts';

export const wireConsumer = (env: ConsumerEnv, registry: JobRegistry): Instance<ConsumerWorld> => {
  const { world, logger, metrics, config } = wire(env);
  const log = (jobId: string) => {
    const child = logger.createChild({ persistentKeys: { jobId } });
    return {
      info: (message: string, detail?: object) => child.info(message, { detail }),
      warn: (message: string, detail?: object) => child.warn(message, { detail }),
    };
  };
  return { world: { ...world, registry, runOnce: makeRunOnce(config.client), log }, logger, metrics };
};
