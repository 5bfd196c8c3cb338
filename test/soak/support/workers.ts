import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** One process in which the emulator runs a function. */
export interface WorkerProcess {
  readonly pid: number;
  readonly functionName: string;
  readonly residentMb: number;
  /** What the function was given. */
  readonly memoryMb: number;
}

/** Whether this system shows what processes hold; only Linux does it as files. */
export const canSeeWorkers = (): boolean => existsSync('/proc/self/status');

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return undefined;
  }
};

/** The emulator starts a process from whichever of its threads is at it. */
const childrenOf = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    (read(`/proc/${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  );

const workerOf = (pid: number): WorkerProcess | undefined => {
  const residentKb = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  const variables = new Map(
    (read(`/proc/${pid}/environ`) ?? '').split('\0').map((line): [string, string] => {
      const at = line.indexOf('=');
      return [line.slice(0, at), line.slice(at + 1)];
    }),
  );
  const functionName = variables.get('AWS_LAMBDA_FUNCTION_NAME');
  if (residentKb === undefined || functionName === undefined) return undefined;
  const memoryMb = Number(variables.get('AWS_LAMBDA_FUNCTION_MEMORY_SIZE'));
  return { pid, functionName, residentMb: Number(residentKb) / 1_024, memoryMb };
};

/** The processes of functions that run under this emulator now. */
export const workersOf = (emulatorPid: number): readonly WorkerProcess[] =>
  childrenOf(emulatorPid).flatMap((pid) => workerOf(pid) ?? []);
