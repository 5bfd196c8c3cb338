import { UsageError } from '../operator/cli/exit.ts';
import { EmulatorError } from './server.ts';

/**
 * Runs a command of this project and sets the exit code: what `main` says; 2 where the command line is wrong, 1 where
 * something else is. What a person can mend is told in its message alone, everything else with its stack.
 */
export const runMain = async (main: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await main();
  } catch (error) {
    const isUsage = error instanceof UsageError || isRefusedByParseArgs(error);
    console.error(isUsage || error instanceof EmulatorError ? error.message : error);
    process.exitCode = isUsage ? 2 : 1;
  }
};

const isRefusedByParseArgs = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');

/** Reads an option's whole number. Throws `UsageError`. */
export const wholeNumber = (option: string, text: string, min: number, max: number): number => {
  const number = Number(text);
  if (text.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
  throw new UsageError(`--${option} takes a whole number from ${min} to ${max}, not "${text}".`);
};
