import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const isSignalled = (pid: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    // No such process (or, for a foreign one, no right to signal it).
    return false;
  }
};

/**
 * When the process with this id started, as text to compare; undefined if there is none. The system gives ids out
 * again, so an id that was written down names its process only together with this.
 */
export const startOf = (pid: number): string | undefined => {
  if (!isSignalled(pid, 0)) return undefined;
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)])
        .toString()
        .trim();
    // The second field is the program's name in brackets and may contain anything; start time is field 22.
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    const [state, ...fields] = afterName.split(' ');
    return state === 'Z' ? undefined : fields[18];
  } catch {
    return undefined;
  }
};

const killGroup = (leader: number): void => {
  isSignalled(-leader, 'SIGKILL');
};

/**
 * Ends a process that leads its own group, and the whole group with it: politely, then, after `patienceSeconds`, by
 * force. Children that outlive a leader which went politely are ended by force as well.
 */
export const stopGroup = async (leader: number, patienceSeconds = 8): Promise<void> => {
  isSignalled(leader, 'SIGTERM');
  const deadline = Date.now() + patienceSeconds * 1_000;
  while (startOf(leader) !== undefined && Date.now() < deadline) await sleep(20);
  killGroup(leader);
  while (isSignalled(-leader, 0) && Date.now() < deadline + 2_000) await sleep(20);
};

/**
 * Lets a process group end together with this process, also when it is interrupted: a group of its own does not hear
 * of Ctrl-C. The returned function takes the bond off again.
 */
export const bindGroupToThisProcess = (leader: number): (() => void) => {
  const onExit = () => killGroup(leader);
  const onSignal = (signal: NodeJS.Signals) => {
    killGroup(leader);
    // This listener is gone by now, so the signal does what it would have done without it.
    process.kill(process.pid, signal);
  };
  process.once('exit', onExit).once('SIGINT', onSignal).once('SIGTERM', onSignal);
  return () => {
    process.off('exit', onExit).off('SIGINT', onSignal).off('SIGTERM', onSignal);
  };
};
