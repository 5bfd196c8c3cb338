import { LambdaClient } from '@aws-sdk/client-lambda';
import { MappingSwitch } from '#adapters/mapping-switch.ts';
import type { OperatorEnv } from '../env.ts';
import { clientConfig } from './instance.ts';

export const mappingSwitch = (env: OperatorEnv) =>
  new MappingSwitch({
    client: new LambdaClient(clientConfig(env.SLUICE_LIMITS)),
    mappingId: env.EVENT_SOURCE_MAPPING_ID,
  });
