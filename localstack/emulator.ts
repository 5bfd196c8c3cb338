import { mkdirSync } from 'node:fs';
import { emulatorCredentials, emulatorRegion, localDirectory, projectRoot } from './places.ts';
import { endpointUrlOf, host } from './ports.ts';
import { choosePort, startServer } from './server.ts';
import { keepWorkersCommonJs } from './workarounds.ts';

/** How to start an emulator. */
export interface EmulatorOptions {
  /** A directory of this name under `.local/` takes its log and its temporary files. */
  readonly name: string;
  /** A free one is found if none is given. */
  readonly port?: number;
  /** Truly check signatures and IAM policies. */
  readonly auth?: boolean;
  /** Keep the state in this directory over restarts; else it lives in memory. */
  readonly persistDirectory?: string;
  /** Goes on after this process has ended. Otherwise it is ended with it. */
  readonly detached?: boolean;
}

/** A running emulator. */
export interface Emulator {
  readonly endpointUrl: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Ends the emulator and every Lambda worker that it started. */
  stop(): Promise<void>;
}

/**
 * The emulator's whole environment, nothing inherited: Lambda workers get it too, and must see neither the developer's
 * AWS profile nor his proxies. The first entry of the path makes them run on the project's own Node 24.
 */
const environmentOf = (port: number, directory: string, options: EmulatorOptions): NodeJS.ProcessEnv => ({
  ...bareEnvironment(directory),
  AWS_ENDPOINT_URL: endpointUrlOf(port),
  GATEWAY_PORT: String(port),
  BIND_HOST: host,
  MINISTACK_HOST: host,
  LOG_LEVEL: 'WARNING',
  // Listeners of services that this project does not use, on ports that two emulators would fight for.
  IOT_MTLS_ENABLED: '0',
  SFTP_ENABLED: '0',
  AUTH: String(options.auth ?? false),
  ...(options.persistDirectory && { PERSIST_STATE: '1', STATE_DIR: options.persistDirectory }),
});

/** What every emulator that runs on this machine is given, beside its own settings. */
export const bareEnvironment = (directory: string): NodeJS.ProcessEnv => ({
  PATH: `${projectRoot}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin`,
  HOME: directory,
  TMPDIR: `${directory}/tmp`,
  AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
  AWS_REGION: emulatorRegion,
  AWS_DEFAULT_REGION: emulatorRegion,
});

/** Starts the embedded emulator, MiniStack, on the loopback address and resolves once it answers. Throws `EmulatorError`. */
export const startEmulator = async (options: EmulatorOptions): Promise<Emulator> => {
  const port = await choosePort(options.port);
  const endpointUrl = endpointUrlOf(port);
  const directory = `${localDirectory}/${options.name}`;
  mkdirSync(`${directory}/tmp`, { recursive: true });
  keepWorkersCommonJs(`${directory}/tmp`);
  const logFile = `${directory}/emulator.log`;
  const { pid, stop } = await startServer({
    title: 'The emulator',
    command: `${projectRoot}/.emulator/bin/python`,
    args: [`${projectRoot}/localstack/launch-emulator.py`],
    directory,
    env: environmentOf(port, directory, options),
    logFile,
    healthUrl: `${endpointUrl}/_ministack/health`,
    startSecondsMax: 30,
    stopSecondsMax: 8,
    detached: options.detached ?? false,
  });
  return { endpointUrl, port, pid, logFile, stop };
};
