import { spawn } from 'node:child_process';
import { projectRoot } from './places.ts';

/**
 * Runs a program of this project on its own Node 24 and resolves when it ended well. Rejects with the end of what it
 * printed: its output is of interest only then.
 */
export const runNode = (
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd = projectRoot,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(`${projectRoot}/node_modules/.bin/node`, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-8_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`"node ${args.join(' ')}" ended with ${code ?? signal}:\n${output.trim()}`));
    });
  });
