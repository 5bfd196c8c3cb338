import { writeFileSync } from 'node:fs';
import { DynamoDBClient, UpdateTimeToLiveCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { AwsClient } from 'aws4fetch';
import type { EmulatorKind } from './engines/kind.ts';
import type { LocalOutputs } from './outputs.ts';
import { emulatorCredentials, emulatorRegion } from './places.ts';

// Where the emulator differs from AWS and the difference can be made good from outside, one function per fault, so that
// each can go when the emulator is mended. Nothing of this is known to the code under `functions/`.

const cdkAssetBucket = `cdk-hnb659fds-assets-000000000000-${emulatorRegion}`;

/**
 * Fault: the emulator writes its Lambda workers as CommonJS files named `.js` into its temporary directory. That lies
 * inside this project, whose package.json would make ES modules of them, and every worker would end at once.
 */
export const keepWorkersCommonJs = (temporaryDirectory: string): void =>
  writeFileSync(`${temporaryDirectory}/package.json`, '{ "type": "commonjs" }\n');

/**
 * Fault: `cdk bootstrap` takes 8 to 16 s there. Of all that it makes, a local deployment uses this bucket only, since
 * the local stage deploys with the caller's own credentials.
 */
export const createAssetBucket = async (endpointUrl: string): Promise<void> => {
  const aws = new AwsClient({ ...emulatorCredentials, region: emulatorRegion, service: 's3' });
  const response = await aws.fetch(`${endpointUrl}/${cdkAssetBucket}`, { method: 'PUT' });
  // 409: it is there from an earlier deployment.
  if (!response.ok && response.status !== 409) {
    throw new Error(`The emulator refused the asset bucket: ${response.status} ${await response.text()}`);
  }
};

/** Fault: CloudFormation drops a table's TimeToLiveSpecification, so final records would never expire. */
export const enableTimeToLive = async (endpointUrl: string, tableName: string): Promise<void> => {
  const client = new DynamoDBClient({
    endpoint: endpointUrl,
    region: emulatorRegion,
    credentials: emulatorCredentials,
  });
  try {
    await client.send(
      new UpdateTimeToLiveCommand({
        TableName: tableName,
        TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
      }),
    );
  } catch (error) {
    // AWS and the emulator refuse to switch on what is on, which a repeated deployment asks for.
    if (!(error instanceof Error && error.name === 'ValidationException')) throw error;
  } finally {
    client.destroy();
  }
};

/**
 * Fault: a REST API is not reachable under the host name in its URL. The emulator serves it under a path instead.
 * Takes `https://<id>.execute-api.<region>.amazonaws.com/<stage>/`; the result has no slash at its end.
 */
export const reachableApiUrl = (endpointUrl: string, apiUrl: string, kind: EmulatorKind = 'ministack'): string => {
  // Not by the URL parser: LocalStack puts its own address behind the id, `https://<id>.execute-api.127.0.0.1:4566/…`.
  const [, apiId, stageName] = /^https:\/\/([^./]+)\.execute-api\.[^/]+\/([^/]+)\/?$/.exec(apiUrl) ?? [];
  if (apiId === undefined) throw new Error(`The deployed stack's ApiUrl is not that of a REST API: ${apiUrl}`);
  if (kind === 'localstack') return `${endpointUrl}/_aws/execute-api/${apiId}/${stageName}`;
  return `${endpointUrl}/restapis/${apiId}/${stageName}/_user_request_`;
};

/** What AWS checks of a call, and under which name the emulator asks for it when it checks policies (AUTH=true). */
const misnamed = {
  'lambda:GetEventSourceMapping': 'lambda:ListEventSourceMappings',
  'sqs:SendMessage in a batch': 'sqs:SendMessageBatch',
};

/**
 * Fault: two actions are asked for under names of which AWS does not ask, so that functions with exactly the rights that
 * they need could not work. Their roles get those names too, in a policy of its own beside the stack's.
 */
export const allowMisnamedActions = async (outputs: LocalOutputs): Promise<void> => {
  const { endpointUrl: endpoint, region } = outputs;
  const lambda = new LambdaClient({ endpoint, region, credentials: emulatorCredentials });
  const iam = new AwsClient({ ...emulatorCredentials, region, service: 'iam' });
  const PolicyDocument = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: Object.values(misnamed), Resource: '*' }],
  });
  for (const FunctionName of [outputs.apiFunctionName, outputs.operatorFunctionName, outputs.reconcileFunctionName]) {
    const { Role } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
    const RoleName = Role?.split('/').at(-1) ?? '';
    const input = { Action: 'PutRolePolicy', Version: '2010-05-08', RoleName, PolicyName: 'misnamed', PolicyDocument };
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await iam.fetch(endpoint, { method: 'POST', headers, body: String(new URLSearchParams(input)) });
    if (!response.ok) throw new Error(`The emulator refused a policy: ${response.status} ${await response.text()}`);
  }
  lambda.destroy();
};
