import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { connectionTo, type Place } from './workers/place.ts';

export type Variables = Readonly<Record<string, string>>;

/** Changes the environment of deployed functions; their processes start anew. */
export const changeVariables = async (
  on: Pick<Place, 'endpointUrl' | 'region'>,
  functionNames: readonly string[],
  change: (before: Variables) => Variables,
): Promise<void> => {
  const lambda = new LambdaClient(connectionTo(on));
  try {
    for (const FunctionName of functionNames) {
      const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
      const Variables = { ...change(Environment?.Variables ?? {}) };
      await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
    }
  } finally {
    lambda.destroy();
  }
};
