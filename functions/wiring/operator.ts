import type { OperatorWorld } from '#flow/world.ts';
import type { OperatorEnv } from '../env.ts';
import { type Instance, wire } from './instance.ts';
import { mappingSwitch } from './mapping.ts';

export const wireOperator = (env: OperatorEnv): Instance<OperatorWorld> => {
  const { world, logger, metrics } = wire(env);
  return { world: { ...world, consumer: mappingSwitch(env) }, logger, metrics, tenantClaim: env.TENANT_CLAIM };
};
