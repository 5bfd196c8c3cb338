import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { emulatorCredentials, emulatorRegion, localDirectory, projectRoot } from './places.ts';
import { bindGroupToThisProcess, stopGroup } from './processes.ts';
import { keepWorkersCommonJs } from './workarounds.ts';

const host = '127.0.0.1';
const startSecondsMax = 30;

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

/** What a caller can mend: a port that is taken, an emulator that does not come up. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError';
}

export const endpointUrlOf = (port: number): string => `http://${host}:${port}`;

const findFreePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });

const isTaken = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host });
    const settle = (taken: boolean) => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

/**
 * The emulator's whole environment, nothing inherited: Lambda workers get it too, and must see neither the developer's
 * AWS profile nor his proxies. The first entry of the path makes them run on the project's own Node 24.
 */
const environmentOf = (port: number, directory: string, options: EmulatorOptions): NodeJS.ProcessEnv => ({
  PATH: `${projectRoot}/node_modules/.bin:/usr/local/bin:/usr/bin:/bin`,
  HOME: directory,
  TMPDIR: `${directory}/tmp`,
  AWS_ACCESS_KEY_ID: emulatorCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: emulatorCredentials.secretAccessKey,
  AWS_REGION: emulatorRegion,
  AWS_DEFAULT_REGION: emulatorRegion,
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

const isHealthy = async (endpointUrl: string): Promise<boolean> => {
  try {
    const response = await fetch(`${endpointUrl}/_ministack/health`, { signal: AbortSignal.timeout(1_000) });
    return response.ok;
  } catch {
    return false;
  }
};

const waitUntilHealthy = async (child: ChildProcess, endpointUrl: string, logFile: string): Promise<void> => {
  const deadline = Date.now() + startSecondsMax * 1_000;
  while (!(await isHealthy(endpointUrl))) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (!ended && Date.now() < deadline) {
      await sleep(50);
      continue;
    }
    const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-10).join('\n');
    const what = ended ? `ended with ${child.exitCode ?? child.signalCode}` : `did not answer in ${startSecondsMax} s`;
    throw new EmulatorError(`The emulator ${what}. The end of ${logFile}:\n${lastLines}`);
  }
};

/** Starts an emulator on the loopback address and resolves once it answers. Throws `EmulatorError`. */
export const startEmulator = async (options: EmulatorOptions): Promise<Emulator> => {
  const port = options.port ?? (await findFreePort());
  if (options.port !== undefined && (await isTaken(port))) {
    throw new EmulatorError(
      `Port ${port} is taken by another program. Give another one: --port ${port + 1}, or SLUICE_PORT=${port + 1}.`,
    );
  }
  const endpointUrl = endpointUrlOf(port);
  const directory = `${localDirectory}/${options.name}`;
  mkdirSync(`${directory}/tmp`, { recursive: true });
  keepWorkersCommonJs(`${directory}/tmp`);
  const logFile = `${directory}/emulator.log`;
  const log = openSync(logFile, 'w');
  const child = spawn(`${projectRoot}/.emulator/bin/python`, [`${projectRoot}/localstack/launch-emulator.py`], {
    cwd: directory,
    env: environmentOf(port, directory, options),
    stdio: ['ignore', log, log],
    // A process group of its own, so that the Lambda workers can be ended together with it.
    detached: true,
  });
  closeSync(log);
  child.once('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) {
    throw new EmulatorError('The emulator is not installed. Run: node localstack/bootstrap.mjs');
  }

  const unbind = bindGroupToThisProcess(pid);
  const stop = async () => {
    unbind();
    await stopGroup(pid);
  };
  try {
    await waitUntilHealthy(child, endpointUrl, logFile);
  } catch (error) {
    await stop();
    throw error;
  }
  if (options.detached) {
    unbind();
    child.unref();
  }
  return { endpointUrl, port, pid, logFile, stop };
};
