import { spawnSync } from 'node:child_process';
import { projectRoot } from '../places.ts';
import { endpointUrlOf } from '../ports.ts';
import { choosePort, EmulatorError } from '../server.ts';
import type { EngineOptions } from './engine.ts';

const composeFile = `${projectRoot}/localstack/docker/compose.yaml`;
/** The first start pulls the image. */
const upSecondsMax = 900;
const downSecondsMax = 120;

const compose = (args: readonly string[], secondsMax: number, env: Readonly<Record<string, string>> = {}): void => {
  const { error, status, stdout, stderr } = spawnSync('docker', ['compose', '--file', composeFile, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: secondsMax * 1_000,
  });
  if (status === 0) return;
  const missing = (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  throw new EmulatorError(
    missing
      ? 'The engine localstack-docker needs Docker with its compose plugin, and there is no docker on the PATH. Without ' +
          'Docker: SLUICE_ENGINE=localstack-host, or leave it out for the embedded emulator.'
      : `"docker compose ${args.join(' ')}" failed:\n${error?.message ?? `${stdout}${stderr}`.trim()}`,
  );
};

/** Starts the container of the compose file, on the port asked for, and waits until it is healthy. */
export const startLocalstackDocker = async ({ port }: EngineOptions): Promise<{ endpointUrl: string }> => {
  const chosen = await choosePort(port);
  compose(['up', '--detach', '--wait'], upSecondsMax, { SLUICE_PORT: String(chosen) });
  return { endpointUrl: endpointUrlOf(chosen) };
};

/** Removes the container, and its volume with all state. */
export const stopLocalstackDocker = async (): Promise<void> => {
  compose(['down', '--volumes', '--timeout', '10'], downSecondsMax);
};
