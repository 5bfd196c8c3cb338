import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { AwsClient } from 'aws4fetch';
import { Failure } from '../operator/cli/exit.ts';
import { type SdkConfig, sdkConfig } from '../operator/cli/target.ts';
import type { Options } from './options.ts';

/** Where a command acts, and as whom. */
export interface Place {
  readonly account: string;
  readonly region: string;
  /** The ARN of who acts. */
  readonly caller: string;
  readonly sdk: SdkConfig;
}

/** Asks AWS who we are. Throws `Failure` with what helps when there are no credentials, or none that are any good. */
export const findPlace = async ({ profile, region }: Options, endpointUrl: string | undefined): Promise<Place> => {
  const sdk = await sdkConfig(
    { ...(profile && { profile }), ...(region && { region }), ...(endpointUrl && { endpointUrl }) },
    undefined,
    false,
  );
  const aws = new AwsClient({ ...(await sdk.credentials()), region: sdk.region, service: 'sts', retries: 2 });
  const url = sdk.endpoint ?? `https://sts.${sdk.region}.amazonaws.com`;
  const answer = await ask(aws, url);
  const [, account] = /<Account>(\d{12})<\/Account>/.exec(answer) ?? [];
  const [, caller] = /<Arn>([^<]+)<\/Arn>/.exec(answer) ?? [];
  if (account === undefined || caller === undefined) throw new Failure(`${url} does not say who we are.`);
  return { account, region: sdk.region, caller, sdk };
};

const ask = async (aws: AwsClient, url: string): Promise<string> => {
  const fix = 'Sign in again (aws sso login, say), or check --profile and AWS_ACCESS_KEY_ID.';
  try {
    const response = await aws.fetch(`${url}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'Action=GetCallerIdentity&Version=2011-06-15',
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    if (response.ok) return text;
    const [, why = `status ${response.status}`] = /<Message>([^<]+)</.exec(text) ?? [];
    throw new Failure(`AWS does not take these credentials: ${why}`, fix);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(
      `${url} cannot be reached: ${error instanceof Error ? error.message : error}`,
      'Check --region and the network.',
      {
        cause: error,
      },
    );
  }
};

/** The command that prepares an account and region for the CDK. */
export const bootstrapCommand = ({ account, region }: Place, { profile }: Options): string =>
  `npx cdk bootstrap aws://${account}/${region}${profile === undefined ? '' : ` --profile ${profile}`}`;

/**
 * Makes sure that the CDK's own resources are there. Throws `Failure` that names the command if they are not. Whoever may
 * not look is told so and goes on: the CDK itself looks again.
 */
export const demandBootstrap = async (place: Place, options: Options, note: (line: string) => void): Promise<void> => {
  const client = new SSMClient(place.sdk);
  try {
    await client.send(new GetParameterCommand({ Name: '/cdk-bootstrap/hnb659fds/version' }));
  } catch (error) {
    const { name = '' } = error instanceof Error ? error : {};
    if (name === 'ParameterNotFound') {
      throw new Failure(
        `The region ${place.region} of account ${place.account} is not bootstrapped for the CDK.`,
        `Once for each account and region: ${bootstrapCommand(place, options)}`,
        { cause: error },
      );
    }
    note(`Whether ${place.region} is bootstrapped could not be seen (${name}); the CDK will look again.`);
  } finally {
    client.destroy();
  }
};
