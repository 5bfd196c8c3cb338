import { exit, UsageError } from './exit.ts';
import type { Io } from './io.ts';

/**
 * Makes sure that a change of much is meant: by `--yes`, or by a person who types yes. Tells whether to go on. Throws
 * `UsageError` where there is neither.
 */
export const confirm = async (io: Io, yes: boolean | undefined, what: string): Promise<boolean> => {
  if (yes) return true;
  if (io.ask === undefined) throw needsYes(what);
  const answer = await io.ask(`${what} Go on? [y/N] `);
  if (/^y(es)?$/i.test(answer.trim())) return true;
  io.note('Nothing was changed.');
  return false;
};

/** Off a terminal it is said before anything is asked of the API. */
export const demandConsent = (io: Io, yes: boolean | undefined, what: string): void => {
  if (!yes && io.ask === undefined) throw needsYes(what);
};

const needsYes = (what: string) => new UsageError(`${what} Off a terminal this takes --yes.`);

/** What a command ends with that was called off. */
export const calledOff = exit.failed;
