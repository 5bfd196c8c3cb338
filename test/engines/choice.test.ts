import { describe, expect, it } from 'vitest';
import { chooseEngine } from '../../localstack/engines/choice.ts';

const refusal = (option: string | undefined, env: NodeJS.ProcessEnv): string => {
  try {
    return `chosen: ${JSON.stringify(chooseEngine(option, env))}`;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('the engine', () => {
  it.for<[string | undefined, NodeJS.ProcessEnv, object]>([
    [undefined, {}, { name: 'ministack' }],
    [undefined, { SLUICE_ENGINE: '', AWS_ENDPOINT_URL: '' }, { name: 'ministack' }],
    [undefined, { SLUICE_ENGINE: 'localstack-docker' }, { name: 'localstack-docker' }],
    ['localstack-host', {}, { name: 'localstack-host' }],
    ['ministack', { SLUICE_ENGINE: 'localstack-host' }, { name: 'ministack' }],
    [
      undefined,
      { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' },
      { name: 'endpoint', endpointUrl: 'http://127.0.0.1:4566' },
    ],
    [
      undefined,
      { AWS_ENDPOINT_URL: 'https://emulator.example:8443/' },
      { name: 'endpoint', endpointUrl: 'https://emulator.example:8443' },
    ],
  ])('by --engine %s and %j is %j', ([option, env, expected]) => {
    expect(chooseEngine(option, env)).toEqual(expected);
  });
});

describe('what cannot be chosen is refused with what to do', () => {
  it('an engine that there is not, with those that there are', () => {
    expect(refusal('moto', {})).toBe(
      'There is no engine "moto". Give one of ministack, localstack-docker, localstack-host, or an emulator that is ' +
        'there already: AWS_ENDPOINT_URL=http://127.0.0.1:4566',
    );
    expect(refusal(undefined, { SLUICE_ENGINE: 'MiniStack' })).toContain('There is no engine "MiniStack"');
  });

  it('an engine and an endpoint at once', () => {
    const endpoint = { AWS_ENDPOINT_URL: 'http://127.0.0.1:4566' };
    expect(refusal('ministack', endpoint)).toContain('Leave one of them out');
    expect(refusal(undefined, { ...endpoint, SLUICE_ENGINE: 'localstack-host' })).toContain('Leave one of them out');
  });

  it.for(['localhost:4566', 'nonsense', 'ftp://127.0.0.1'])('an endpoint that is no URL: %s', (text) => {
    expect(refusal(undefined, { AWS_ENDPOINT_URL: text })).toContain(`AWS_ENDPOINT_URL is not a URL: "${text}"`);
  });

  it.for([
    'https://sqs.us-east-1.amazonaws.com',
    'https://amazonaws.com',
    'https://sqs.cn-north-1.amazonaws.com.cn',
    'https://sqs.eu-west-1.api.aws',
    'https://SQS.us-east-1.AmazonAWS.com',
    'https://sqs.us-east-1.amazonaws.com.',
    'https://sqs.cn-north-1.api.amazonwebservices.com.cn',
    'https://sqs.eusc-de-east-1.amazonaws.eu',
    'https://sqs.eusc-de-east-1.api.amazonwebservices.eu',
  ])('AWS itself: %s', (text) => {
    expect(refusal(undefined, { AWS_ENDPOINT_URL: text })).toContain('names AWS itself');
  });

  it('but not a host that only looks like it', () => {
    const endpointUrl = 'http://amazonaws.com.localhost:4566';
    expect(chooseEngine(undefined, { AWS_ENDPOINT_URL: endpointUrl })).toEqual({ name: 'endpoint', endpointUrl });
  });
});
