import { CommanderError } from 'commander';
import { NoAnswerError } from '../client.ts';
import { type ExitCode, exit, Failure, UsageError } from './exit.ts';
import type { Io } from './io.ts';
import { plain, plainJson } from './render/plain.ts';
import { RefusedError } from './session.ts';

/** What helps against the refusals that an operator can do something about. */
const advice: Readonly<Record<string, string>> = {
  forbidden:
    "The caller may not invoke this path: submitters need execute-api:Invoke on jobs*, operators on operator* as well. A submitter's own jobs: --own",
  'caller-unknown': 'The key pair belongs to nobody there. Check --profile, --region and the account: sluice doctor',
  'queue-full': 'Wait and repeat with the same --key, or look at what holds the slots: sluice status',
  'intake-closed': 'Open it when it may be open: sluice intake open',
  'idempotency-conflict':
    'This --key was used for another request of this type. Look at it with: sluice job list --own',
  'job-not-found': 'An id is 32 hex digits. A final record is kept for its retention, then it is gone.',
  unavailable: 'What the call did is unknown. It may be repeated; a submission with the same --key.',
};

/** Says on the notes what went wrong and what may help, and tells the exit code. */
export const reportError = (error: unknown, io: Io, json: boolean): ExitCode => {
  const say = (message: string, fix?: string) => {
    io.note(`error: ${plain(message)}`);
    if (fix !== undefined) io.note(`  fix: ${plain(fix)}`);
  };
  // Commander has printed its message, or the help that was asked for, by itself.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exit.done : exit.usage;
  if (error instanceof UsageError) {
    say(error.message);
    return exit.usage;
  }
  if (error instanceof RefusedError) {
    if (json && error.text !== '') io.out(io.isTerminal.out ? plainJson(error.text) : error.text);
    const { problem, status, retryAfterSeconds } = error;
    const after = retryAfterSeconds === undefined ? '' : ` Retry after ${retryAfterSeconds} s.`;
    say(`${status} ${problem?.code ?? ''}: ${error.message}${after}`, advice[problem?.code ?? '']);
    for (const { pointer, detail } of problem?.errors ?? []) io.note(`  ${plain(pointer || 'body')}: ${plain(detail)}`);
    if (problem?.requestId !== undefined) io.note(`  request id: ${plain(problem.requestId)}`);
    return exit.failed;
  }
  if (error instanceof Failure) say(error.message, error.fix);
  else if (error instanceof NoAnswerError)
    say(error.message, 'What the call did is unknown. Find out more: sluice doctor');
  else say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return exit.failed;
};
