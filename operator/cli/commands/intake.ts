import type { Command } from 'commander';
import { type StatusAnswer, statusAnswer } from '../answers.ts';
import { calledOff, confirm } from '../confirm.ts';
import { type ExitCode, exit } from '../exit.ts';
import { pollStatus, readStatus } from '../poll-status.ts';
import { showProgress } from '../render/bar.ts';
import { plain } from '../render/plain.ts';
import { intakeText } from '../render/status.ts';
import type { Session, Told } from '../session.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { whole } from './parse.ts';

/** Longer than a drain takes at most in production, where the reconciler ends it after an hour. */
const drainTimeoutSeconds = 3_900;

export const addIntakeCommands = (program: Command, run: Run): void => {
  const intake = program.command('intake').description('see, open, close and drain the intake');

  const status = intake.command('status').description('whether jobs are taken in, and how far a drain has come');
  examples(status, ['open, closed, draining or drained', 'intake status']);
  run.on<GlobalOptions>(status, async ({ options }) => {
    const session = await run.open(options);
    show(session, await readStatus(session));
    return exit.done;
  });

  const open = intake.command('open').description('take jobs in again');
  examples(open, ['after a close or a drain', 'intake open']);
  run.on<GlobalOptions>(open, async ({ options }) => {
    const session = await run.open(options);
    const answer = await session.call(statusAnswer, 'POST', '/operator/intake', { state: 'open' });
    return settled(session, answer, 'open');
  });

  const close = intake
    .command('close')
    .description('refuse new jobs and redrives; what is in flight runs on')
    .option('-y, --yes', 'do not ask; needed off a terminal');
  examples(close, ['refuse new jobs from now on', 'intake close --yes']);
  run.on<GlobalOptions & { yes?: boolean }>(close, async ({ options }) => {
    if (!(await confirm(run.io, options.yes, 'From now on all submissions and redrives are refused.')))
      return calledOff;
    const session = await run.open(options);
    const answer = await session.call(statusAnswer, 'POST', '/operator/intake', { state: 'closed' });
    return settled(session, answer, 'closed');
  });

  addDrain(intake, run);
};

interface DrainOptions extends GlobalOptions {
  readonly cancel?: boolean;
  readonly wait: boolean;
  readonly timeout: number;
  readonly yes?: boolean;
}

const addDrain = (intake: Command, run: Run): void => {
  const command = intake
    .command('drain')
    .description('close the intake and wait until nothing is in flight; exit 3 when something was left')
    .option('--cancel', 'cancel what is in flight instead of letting it run to its end')
    .option('--no-wait', 'return at once; the drain goes on')
    .option(
      '--timeout <seconds>',
      'how long to wait; the drain goes on after it',
      whole(1, 86_400),
      drainTimeoutSeconds,
    )
    .option('-y, --yes', 'do not ask; needed off a terminal');
  examples(
    command,
    ['before a deployment that must meet no job', 'intake drain'],
    ['from a script, without what can still be cancelled', 'intake drain --cancel --yes --timeout 600'],
  );
  run.on<DrainOptions>(command, async ({ options }) => {
    const what = options.cancel
      ? 'All submissions are refused, and every job in flight is cancelled.'
      : 'All submissions are refused until the intake is opened again; jobs in flight run to their end.';
    if (!(await confirm(run.io, options.yes, what))) return calledOff;
    const session = await run.open(options);
    const body = { state: 'closed', mode: options.cancel ? 'cancel' : 'drain' };
    const asked = await session.call(statusAnswer, 'POST', '/operator/intake', body);
    if (!options.wait) {
      run.io.note('The drain goes on; look at it with: sluice intake status');
      return settled(session, asked, 'draining');
    }
    return settled(session, await waitUntilDrained(session, asked, options.timeout), 'drained');
  });
};

const waitUntilDrained = (session: Session, asked: Told<StatusAnswer>, timeoutSeconds: number) => {
  const total = Math.max(1, asked.body.drain?.left ?? 0);
  const progress = showProgress(session.io);
  let told = false;
  return pollStatus(
    session,
    asked,
    ({ intake }) => intake !== 'draining',
    timeoutSeconds,
    ({ drain }) => {
      if (drain === undefined) return;
      progress(Math.max(0, total - drain.left), Math.max(total, drain.left), 'ended');
      if (drain.waitingFor !== undefined && !told) {
        session.io.note(
          `It waits for: ${plain(drain.waitingFor)}. A paused consumer ends no job: sluice consumer resume`,
        );
        told = true;
      }
    },
  );
};

const show = (session: Session, answer: Told<StatusAnswer>): void =>
  session.show(answer, () => [intakeText(session.io, answer.body)]);

/** Another state than the one asked for: a drain whose time was over, or a colleague who was faster. */
const settled = (session: Session, answer: Told<StatusAnswer>, wanted: string): ExitCode => {
  show(session, answer);
  const { intake } = answer.body;
  // A drain may be over before its first answer is written.
  if (intake === wanted || (wanted === 'draining' && intake === 'drained')) return exit.done;
  session.io.note(`The intake is ${plain(intake)}, not ${wanted}.`);
  return exit.partly;
};
