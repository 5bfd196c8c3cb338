import { AwsClient } from 'aws4fetch';
import type { LocalOutputs } from '../../../localstack/outputs.ts';
import { emulatorCredentials } from '../../../localstack/places.ts';

/**
 * CloudWatch by signed calls in its JSON protocol: its SDK client is no dependency of ours, and three calls do not make
 * it one. Throws with the answer when an operation is refused.
 */
export const cloudWatchOf = ({ endpointUrl, region }: LocalOutputs) => {
  const aws = new AwsClient({ ...emulatorCredentials, region, service: 'monitoring' });
  return async <Answer>(operation: string, input: object): Promise<Answer> => {
    const response = await aws.fetch(endpointUrl, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': `GraniteServiceVersion20100801.${operation}`,
      },
      body: JSON.stringify(input),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`CloudWatch answered ${operation} with ${response.status}: ${text}`);
    return JSON.parse(text === '' ? '{}' : text);
  };
};

/** The stack's name, which its alarms' names and its dashboard begin with. */
export const stackNameOf = ({ consumerFunctionName }: LocalOutputs): string =>
  consumerFunctionName.replace(/-consumer$/, '');
