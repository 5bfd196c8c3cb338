import { DynamoReconcilerMemory } from '#adapters/dynamo-reconciler-memory.ts';
import type { ReconcilerWorld } from '#flow/reconcile.ts';
import type { OperatorEnv } from '../env.ts';
import { type Instance, wire } from './instance.ts';
import { mappingSwitch } from './mapping.ts';

export const wireReconciler = (env: OperatorEnv): Instance<ReconcilerWorld> => {
  const { world, logger, metrics, config } = wire(env);
  return {
    world: { ...world, consumer: mappingSwitch(env), memory: new DynamoReconcilerMemory(config) },
    logger,
    metrics,
  };
};
