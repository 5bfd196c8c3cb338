import type { World } from '#flow/world.ts';
import type { ApiEnv } from '../env.ts';
import { type Instance, wire } from './instance.ts';

export const wireApi = (env: ApiEnv): Instance<World> => ({ ...wire(env), tenantClaim: env.TENANT_CLAIM });
