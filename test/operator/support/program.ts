import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';

const launcher = fileURLToPath(new URL('../../../operator/sluice.mjs', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly notes: string;
  // biome-ignore lint/suspicious/noExplicitAny: what the API answered, whose shape is what is tested.
  readonly json: () => any;
}

/** Starts the program as a person does, but off a terminal, and with nothing else in its environment. */
export const startSluice = async (
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> => {
  const child = spawn(process.execPath, [launcher, ...args], { env: { PATH: process.env['PATH'], ...env }, cwd: '/' });
  child.stdin.end();
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, notes] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, out, notes, json: () => JSON.parse(out) };
};

/** A command as an operator types it, at the API of this run's stack, with the operators' role. */
export const sluice = (...args: readonly string[]): Promise<Outcome> =>
  startSluice([...args, '--api-url', inject('localOutputs').apiUrl, '--profile', 'operator'], {
    AWS_SHARED_CREDENTIALS_FILE: inject('callers').credentialsFile,
    AWS_CONFIG_FILE: '/dev/null',
    AWS_REGION: inject('localOutputs').region,
  });

/**
 * The same, with the API found by the outputs of the stack. The account's root types it: to read a stack and its logs is
 * not among the operators' rights.
 */
export const sluiceByStack = (...args: readonly string[]): Promise<Outcome> =>
  startSluice([...args, '--stack', 'sluice-local', '--endpoint-url', inject('localOutputs').endpointUrl]);
