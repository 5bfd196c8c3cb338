import { rmSync } from 'node:fs';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ApiClient, type Credentials } from '#test/support/system/client.ts';
import { element, Identities } from '#test/support/system/identities.ts';
import { deployLocal } from '../../../localstack/deploy.ts';
import { startEmulator } from '../../../localstack/emulator.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { emulatorCredentials, localDirectory } from '../../../localstack/places.ts';

const account = '000000000000';

export interface AuthStage {
  readonly outputs: LocalOutputs;
  readonly identities: Identities;
  /** What the SDK's clients need, for somebody's credentials. */
  readonly connection: (credentials: Credentials) => {
    endpoint: string;
    region: string;
    credentials: Credentials;
    maxAttempts: number;
  };
  readonly clientOf: (credentials: Credentials) => ApiClient;
  /** A new user with these managed policies. */
  readonly user: (name: string, ...policyArns: string[]) => Promise<Credentials>;
  /** A new role with these managed policies, which these users may assume; the result makes its sessions. */
  readonly role: (
    name: string,
    trusted: string,
    ...policyArns: string[]
  ) => Promise<(session: string, by: Credentials) => Promise<Credentials>>;
  /** A session of the role that a function runs with. Its trust is widened for that; what it may do is untouched. */
  readonly functionSession: (functionName: string, inspector: Credentials) => Promise<Credentials>;
  readonly stop: () => Promise<void>;
}

const trustOf = (principal: object): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: principal }],
  });

const allowing = (Action: string, Resource: string): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action, Resource }] });

const userArn = (name: string): string => `arn:aws:iam::${account}:user/${name}`;

/** An emulator that checks signatures and policies, with the local stage deployed by the account's root. */
export const startAuthStage = async (): Promise<AuthStage> => {
  const name = `auth-${process.pid}`;
  const emulator = await startEmulator({ name, auth: true });
  const directory = `${localDirectory}/${name}`;
  const stop = async () => {
    await emulator.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const { endpointUrl } = emulator;
    const outputs = await deployLocal({ endpointUrl, outDir: directory });
    const identities = new Identities(endpointUrl);
    const connection = (credentials: Credentials) => ({
      ...{ endpoint: endpointUrl, region: outputs.region, credentials, maxAttempts: 1 },
    });
    const lambda = new LambdaClient(connection(emulatorCredentials));
    return {
      outputs,
      identities,
      connection,
      stop,
      clientOf: (credentials) => new ApiClient(outputs.apiUrl, credentials),
      user: async (UserName, ...policyArns) => {
        await identities.createUser(UserName);
        for (const PolicyArn of policyArns) await identities.call('iam', 'AttachUserPolicy', { UserName, PolicyArn });
        // What a user may assume is decided by the role's trust; AWS asks for no more within one account.
        const PolicyDocument = allowing('sts:AssumeRole', `arn:aws:iam::${account}:role/*`);
        await identities.call('iam', 'PutUserPolicy', { UserName, PolicyName: 'assume', PolicyDocument });
        return identities.createKey(UserName);
      },
      role: async (RoleName, trusted, ...policyArns) => {
        const AssumeRolePolicyDocument = trustOf({ AWS: userArn(trusted) });
        const xml = await identities.call('iam', 'CreateRole', { RoleName, AssumeRolePolicyDocument });
        for (const PolicyArn of policyArns) await identities.call('iam', 'AttachRolePolicy', { RoleName, PolicyArn });
        const arn = element(xml, 'Arn');
        return (session, by) => identities.assume(arn, session, by);
      },
      functionSession: async (FunctionName, inspector) => {
        const { Role = '' } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
        const PolicyDocument = trustOf({ Service: 'lambda.amazonaws.com', AWS: userArn('inspector') });
        const RoleName = Role.split('/').at(-1) ?? '';
        await identities.call('iam', 'UpdateAssumeRolePolicy', { RoleName, PolicyDocument });
        return identities.assume(Role, 'inspection', inspector);
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
};
