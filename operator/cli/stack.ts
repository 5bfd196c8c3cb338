import { Failure } from './exit.ts';
import type { SdkConfig } from './target.ts';

/** The API and the Lambdas of a deployed stack, by its CloudFormation outputs. Throws `Failure`. */
export const readStack = async (
  stackName: string,
  sdk: SdkConfig,
): Promise<{ readonly apiUrl: string; readonly functionNames: readonly string[] }> => {
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(sdk);
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = new Map(Stacks?.[0]?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
    const apiUrl = outputs.get('ApiUrl');
    if (apiUrl === undefined) {
      throw new Failure(
        `The stack ${stackName} has no output ApiUrl.`,
        'Name the stack of Sluice: --stack sluice-production',
      );
    }
    const functionNames = ['Api', 'Consumer', 'Operator', 'Reconcile'].flatMap(
      (role) => outputs.get(`${role}FunctionName`) ?? [],
    );
    return { apiUrl: await reachable(apiUrl, sdk.endpoint), functionNames };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `The stack ${stackName} in ${sdk.region} could not be read: ${error instanceof Error ? error.message : error}`,
      'It takes the right cloudformation:DescribeStacks. Without it give the URL itself: --api-url',
      { cause: error },
    );
  } finally {
    client.destroy();
  }
};

/** An emulator serves the API under another URL than the one that its CloudFormation tells. */
const reachable = async (apiUrl: string, endpoint: string | undefined): Promise<string> => {
  if (endpoint === undefined) return apiUrl;
  const { kindOf } = await import('../../localstack/engines/kind.ts');
  const { reachableApiUrl } = await import('../../localstack/workarounds.ts');
  return reachableApiUrl(endpoint, apiUrl, await kindOf(endpoint));
};
