import { mkdirSync } from 'node:fs';
import { bareEnvironment, startEmulator } from '../emulator.ts';
import { installLocalstack, localstackPython } from '../host/install.mjs';
import { localDirectory } from '../places.ts';
import { endpointUrlOf, host } from '../ports.ts';
import { bindGroupToThisProcess } from '../processes.ts';
import { choosePort, EmulatorError, startServer } from '../server.ts';
import type { EngineOptions, RunningEngine } from './engine.ts';

/** What the stack and its deployment use. Others are not even loaded. */
const services = [
  ...['apigateway', 'cloudformation', 'cloudwatch', 'dynamodb', 'events', 'iam', 'lambda', 'logs', 'resource-groups'],
  ...['s3', 'sns', 'sqs', 'ssm', 'sts', 'tag'],
];

const environmentOf = (port: number, dynamoPort: number, directory: string): NodeJS.ProcessEnv => ({
  ...bareEnvironment(directory),
  GATEWAY_LISTEN: `${host}:${port}`,
  LOCALSTACK_HOST: `${host}:${port}`,
  LOCALSTACK_VOLUME_DIR: `${directory}/volume`,
  SERVICES: services.join(','),
  // It asks for nothing outside of this machine.
  DNS_ADDRESS: '0',
  DISABLE_EVENTS: '1',
  LS_LOG: 'warning',
  SKIP_SSL_CERT_DOWNLOAD: '1',
  LAMBDA_RUNTIME_EXECUTOR: 'process',
  DYNAMODB_LOCAL_PORT: String(dynamoPort),
  // Queue URLs under the one address, not under host names that would need a name server.
  SQS_ENDPOINT_STRATEGY: 'path',
  // A mapping rests for up to 10 s after a look at an empty queue, and 1 s after each batch; AWS does not.
  LAMBDA_EVENT_SOURCE_MAPPING_POLL_INTERVAL_SEC: '0.05',
  LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_EMPTY_POLL_SEC: '0.1',
  LAMBDA_EVENT_SOURCE_MAPPING_MAX_BACKOFF_ON_ERROR_SEC: '1',
});

/**
 * LocalStack as a program of this machine, its Lambda functions as processes, and behind its DynamoDB the embedded
 * emulator. Throws `EmulatorError` where Python 3.13 is neither there nor to be had.
 */
export const startLocalstackHost = async (options: EngineOptions): Promise<RunningEngine> => {
  const { missing } = installLocalstack();
  if (missing !== undefined) throw new EmulatorError(missing);
  const port = await choosePort(options.port);
  const detached = options.detached ?? false;
  const dynamo = await startEmulator({ name: `${options.name}/dynamodb`, detached });
  const directory = `${localDirectory}/${options.name}`;
  const endpointUrl = endpointUrlOf(port);
  mkdirSync(`${directory}/tmp`, { recursive: true });
  // Until both are up nobody else knows of it: an interruption ends it too.
  const unbind = bindGroupToThisProcess(dynamo.pid);
  try {
    const localstack = await startServer({
      title: 'LocalStack',
      command: localstackPython,
      args: ['-m', 'localstack.runtime.main'],
      directory,
      env: environmentOf(port, dynamo.port, directory),
      logFile: `${directory}/localstack.log`,
      healthUrl: `${endpointUrl}/_localstack/health`,
      startSecondsMax: 60,
      // It waits for requests that are being answered.
      stopSecondsMax: 15,
      detached,
    });
    return {
      endpointUrl,
      leaders: [localstack.pid, dynamo.pid],
      stop: async () => {
        await localstack.stop();
        await dynamo.stop();
      },
    };
  } catch (error) {
    await dynamo.stop();
    throw error;
  } finally {
    unbind();
  }
};
