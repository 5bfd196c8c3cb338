import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { inject } from 'vitest';
import { projectRoot } from '../../../localstack/places.ts';

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
}

export interface Where {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program of this project off a terminal, with nothing of this process's environment in it but the path. */
export const runProgram = async (
  args: readonly string[],
  { cwd = projectRoot, env = {} }: Where = {},
): Promise<Ended> => {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, notes] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, notes };
};

/** `npm run deploy`, `destroy` or `package` at the emulator of this project. */
export const runCommand = (script: 'deploy' | 'destroy' | 'package', ...args: readonly string[]): Promise<Ended> =>
  runProgram([`${projectRoot}/deploy/${script}.ts`, ...args], { env: { AWS_ENDPOINT_URL: inject('releaseEndpoint') } });
