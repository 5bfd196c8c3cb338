import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort, isTaken } from './ports.ts';
import { bindGroupToThisProcess, stopGroup } from './processes.ts';

/** What a caller can mend: a port that is taken, an emulator that does not come up. */
export class EmulatorError extends Error {
  override readonly name = 'EmulatorError';
}

/** A server in a process group of its own, on the loopback address. */
export interface ServerOptions {
  /** How messages name it. */
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly directory: string;
  /** Its whole environment: nothing is inherited. */
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  /** Answers with a success once it is up. */
  readonly healthUrl: string;
  readonly startSecondsMax: number;
  /** How long it may take to end by itself before it is ended by force. */
  readonly stopSecondsMax: number;
  /** Goes on after this process has ended. Otherwise it is ended with it. */
  readonly detached: boolean;
}

export interface Server {
  /** Leads the group. */
  readonly pid: number;
  /** Ends it and everything that it started. */
  stop(): Promise<void>;
}

/** The port asked for, if it is free; any free one if none is asked for. */
export const choosePort = async (wanted: number | undefined): Promise<number> => {
  if (wanted === undefined) return findFreePort();
  if (!(await isTaken(wanted))) return wanted;
  throw new EmulatorError(
    `Port ${wanted} is taken by another program. Give another one: --port ${wanted + 1}, or SLUICE_PORT=${wanted + 1}.`,
  );
};

const isHealthy = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;
  } catch {
    return false;
  }
};

const waitUntilHealthy = async (
  child: ChildProcess,
  { title, healthUrl, startSecondsMax, logFile }: ServerOptions,
): Promise<void> => {
  const deadline = Date.now() + startSecondsMax * 1_000;
  while (!(await isHealthy(healthUrl))) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (!ended && Date.now() < deadline) {
      await sleep(50);
      continue;
    }
    const lastLines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-10).join('\n');
    const what = ended ? `ended with ${child.exitCode ?? child.signalCode}` : `did not answer in ${startSecondsMax} s`;
    throw new EmulatorError(`${title} ${what}. The end of ${logFile}:\n${lastLines}`);
  }
};

/** Resolves once the server answers. Throws `EmulatorError` when it does not come up. */
export const startServer = async (options: ServerOptions): Promise<Server> => {
  const log = openSync(options.logFile, 'w');
  const child = spawn(options.command, options.args, {
    cwd: options.directory,
    env: options.env,
    stdio: ['ignore', log, log],
    // A process group of its own, so that its Lambda workers can be ended together with it.
    detached: true,
  });
  closeSync(log);
  child.once('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) {
    throw new EmulatorError(`${options.title} is not installed. Run: node localstack/bootstrap.mjs`);
  }

  const unbind = bindGroupToThisProcess(pid);
  const stop = async () => {
    unbind();
    await stopGroup(pid, options.stopSecondsMax);
  };
  try {
    await waitUntilHealthy(child, options);
  } catch (error) {
    await stop();
    throw error;
  }
  if (options.detached) {
    unbind();
    child.unref();
  }
  return { pid, stop };
};
