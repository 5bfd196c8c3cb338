import type { Command } from 'commander';
import type { ExitCode } from '../exit.ts';
import type { Io } from '../io.ts';
import { Session } from '../session.ts';
import { findTarget, type TargetOptions } from '../target.ts';

/** The options that every command takes. */
export interface GlobalOptions extends TargetOptions {
  readonly json?: boolean;
}

/** What a command gets to do its work with. */
export interface Run {
  readonly io: Io;
  /** Finds the API with the options of the command. */
  readonly open: (options: GlobalOptions, timeoutMs?: number) => Promise<Session>;
  /** Hands the work of a command over: it resolves to the exit code. */
  readonly on: <Options extends GlobalOptions>(
    command: Command,
    work: (input: { readonly args: readonly string[]; readonly options: Options }) => Promise<ExitCode>,
  ) => void;
}

export const makeRun = (io: Io, outputsFile: string | undefined, end: (code: ExitCode) => void): Run => ({
  io,
  open: async (options, timeoutMs) =>
    new Session(io, await findTarget(options, outputsFile), {
      json: options.json === true,
      ...(timeoutMs && { timeoutMs }),
    }),
  on: (command, work) => {
    command.action(async () => {
      // Commander has checked them against their declarations, which the types of the options repeat.
      end(await work({ args: command.args, options: command.optsWithGlobals() }));
    });
  },
});

/** Examples below the help of a command, each a line of its arguments and what it is for. */
export const examples = (command: Command, ...lines: readonly (readonly [string, string])[]): Command =>
  command.addHelpText(
    'after',
    `\nExamples:\n${lines.map(([what, example]) => `  # ${what}\n  $ sluice ${example}`).join('\n')}\n`,
  );
