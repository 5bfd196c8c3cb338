import { existsSync, readFileSync } from 'node:fs';
import type { LocalOutputs } from '../../localstack/outputs.ts';
import { emulatorCredentials, emulatorRegion, localDirectory } from '../../localstack/places.ts';
import type { Credentials } from '../client.ts';
import { Failure, UsageError } from './exit.ts';
import { readStack } from './stack.ts';

/** What every command takes to find the API and who asks. */
export interface TargetOptions {
  readonly profile?: string;
  readonly region?: string;
  readonly endpointUrl?: string;
  readonly apiUrl?: string;
  readonly stack?: string;
}

/** What a client of the AWS SDK is made with. */
export interface SdkConfig {
  readonly region: string;
  readonly credentials: () => Promise<Credentials>;
  readonly endpoint?: string;
}

/** An API that was found, and how. */
export interface Target {
  /** Without a slash at its end. */
  readonly apiUrl: string;
  /** For people: where the URL comes from. */
  readonly source: string;
  readonly sdk: SdkConfig;
  /** The Lambdas of the stack; none are known where only a URL was given. */
  readonly functionNames: readonly string[];
}

const outputsFileDefault = `${localDirectory}/outputs.json`;

/**
 * Finds the API: the URL that was given, else the outputs of the stack that was named, else the local stack of this clone.
 * Throws `UsageError` where none of them is there, and `Failure` where the stack cannot be read.
 */
export const findTarget = async (options: TargetOptions, outputsFile = outputsFileDefault): Promise<Target> => {
  if (options.apiUrl !== undefined) {
    const apiUrl = checkedUrl('--api-url', options.apiUrl);
    const sdk = await sdkConfig(options, regionInHost(apiUrl), isLoopback(apiUrl));
    return { apiUrl, source: '--api-url', sdk, functionNames: [] };
  }
  if (options.stack !== undefined) {
    const sdk = await sdkConfig(options, undefined, false);
    const { apiUrl, functionNames } = await readStack(options.stack, sdk);
    return { apiUrl: checkedUrl('ApiUrl', apiUrl), source: `stack ${options.stack}`, sdk, functionNames };
  }
  return localTarget(options, outputsFile);
};

const localTarget = async (options: TargetOptions, outputsFile: string): Promise<Target> => {
  if (!existsSync(outputsFile)) {
    throw new UsageError(
      'No API was named. Give --stack NAME (sluice-production, say) or --api-url URL, or start the local one: npm run local:up',
    );
  }
  const outputs = readOutputs(outputsFile);
  const sdk = await sdkConfig(
    { ...options, endpointUrl: options.endpointUrl ?? outputs.endpointUrl },
    outputs.region,
    true,
  );
  const { apiFunctionName, consumerFunctionName, operatorFunctionName, reconcileFunctionName } = outputs;
  return {
    apiUrl: checkedUrl('apiUrl', outputs.apiUrl),
    source: 'the local stack (.local/outputs.json)',
    sdk,
    functionNames: [apiFunctionName, consumerFunctionName, operatorFunctionName, reconcileFunctionName],
  };
};

const readOutputs = (file: string): LocalOutputs => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Failure('.local/outputs.json cannot be read.', 'Write it anew: npm run local:up', { cause: error });
  }
};

const checkedUrl = (name: string, url: string): string => {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) throw new UsageError(`${name} is not a URL: ${url}`);
  // Without TLS anyone on the way can read payloads and answer in the API's place.
  if (parsed.protocol === 'http:' && !isLoopback(url)) throw new UsageError(`${name} must begin with https://: ${url}`);
  return `${parsed.origin}${parsed.pathname}`.replace(/\/+$/, '');
};

export const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d+){3}|\[::1\])$/.test(URL.parse(url)?.hostname ?? '');

const regionInHost = (apiUrl: string): string | undefined =>
  /\.execute-api\.([a-z0-9-]+)\.amazonaws\.com/.exec(apiUrl)?.[1];

/**
 * Region and credentials as the AWS SDK finds them. An emulator on this machine takes any key pair, and must not be
 * sent a real one: it gets its own, unless a profile is named.
 */
export const sdkConfig = async (
  { profile, region, endpointUrl }: TargetOptions,
  knownRegion: string | undefined,
  isLocalApi: boolean,
): Promise<SdkConfig> => {
  const endpoint = endpointUrl === undefined ? undefined : checkedUrl('--endpoint-url', endpointUrl);
  const isLocal = isLocalApi || (endpoint !== undefined && isLoopback(endpoint));
  if (isLocal && profile === undefined) {
    return {
      region: region ?? knownRegion ?? emulatorRegion,
      credentials: async () => emulatorCredentials,
      ...(endpoint && { endpoint }),
    };
  }
  const given = region ?? knownRegion;
  // The only client that the default chain is asked through; it makes no call here.
  const { CloudFormationClient } = await import('@aws-sdk/client-cloudformation');
  const { config } = new CloudFormationClient({ ...(profile && { profile }), ...(given && { region: given }) });
  return {
    region: await regionOf(config.region),
    credentials: withAdvice(config.credentials),
    ...(endpoint && { endpoint }),
  };
};

const regionOf = async (ask: () => Promise<string>): Promise<string> => {
  try {
    return await ask();
  } catch {
    throw new UsageError('No region is known. Give --region, or set AWS_REGION or the region of the profile.');
  }
};

const withAdvice =
  (ask: () => Promise<Credentials>): (() => Promise<Credentials>) =>
  async () => {
    try {
      return await ask();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Failure(
        `No credentials were found: ${why}`,
        'Sign in (aws sso login, say), give --profile, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
        { cause: error },
      );
    }
  };
