import { type ExitCode, exit } from '../operator/cli/exit.ts';
import type { Io } from '../operator/cli/io.ts';
import { reportError } from '../operator/cli/report-error.ts';
import { terminalIo } from '../operator/cli/terminal-io.ts';
import { type Options, readOptions, type Usage } from './options.ts';

/** Runs one command of this directory on the process's own command line and terminal, and sets its exit code. */
export const command = async (usage: Usage, work: (options: Options, io: Io) => Promise<ExitCode>): Promise<void> => {
  const io = terminalIo();
  try {
    const options = readOptions(usage, process.argv.slice(2));
    if ('help' in options) {
      io.out(options.help);
      process.exitCode = exit.done;
    } else process.exitCode = await work(options, io);
  } catch (error) {
    process.exitCode = reportError(error, io, false);
  }
};
