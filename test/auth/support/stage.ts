import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { inject } from 'vitest';
import { ApiClient, type Credentials } from '#test/support/system/client.ts';
import { Identities, trustOf, userArn } from '#test/support/system/identities.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';

/* The local stage, deployed by the account's root, on the emulator that checks signatures and policies. */

export const outputs = inject('localOutputs');
export const identities = new Identities(outputs.endpointUrl);

/** What the SDK's clients need, for somebody's credentials. */
export const connection = (credentials: Credentials) => ({
  ...{ endpoint: outputs.endpointUrl, region: outputs.region, credentials, maxAttempts: 1 },
});

export const clientOf = (credentials: Credentials): ApiClient => new ApiClient(outputs.apiUrl, credentials);

const lambda = new LambdaClient(connection(emulatorCredentials));

/** A session of the role that a function runs with. Its trust is widened to this user; what it may do is untouched. */
export const functionSession = async (
  FunctionName: string,
  userName: string,
  user: Credentials,
): Promise<Credentials> => {
  const { Role = '' } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const PolicyDocument = trustOf({ Service: 'lambda.amazonaws.com', AWS: userArn(userName) });
  const RoleName = Role.split('/').at(-1) ?? '';
  await identities.call('iam', 'UpdateAssumeRolePolicy', { RoleName, PolicyDocument });
  return identities.assume(Role, 'inspection', user);
};
