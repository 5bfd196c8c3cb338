import type { Command } from 'commander';
import { bounds } from '#core/limits.ts';
import { type JobAnswer, jobAnswer } from '../answers.ts';
import { type ExitCode, exit } from '../exit.ts';
import { showProgress } from '../render/bar.ts';
import { jobDetails } from '../render/job.ts';
import { plain } from '../render/plain.ts';
import { RefusedError, type Session, type Told } from '../session.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { checkIds, whole } from './parse.ts';

export const defaultWaitSeconds = 300;

/** Between two looks: at another tenant's job, for which the API does not wait, they all are short. */
const lookEveryMs = 1_000;

interface WaitOptions {
  readonly own?: boolean;
  readonly timeout: number;
}

export const addJobWait = (job: Command, run: Run): void => {
  const command = job
    .command('wait')
    .description('wait until a job has ended: exit 0 succeeded, 1 dead, cancelled, expired or discarded, 3 not in time')
    .argument('<id>')
    .option('--own', "as the job's submitter only, with the right to jobs*")
    .option('--timeout <seconds>', 'how long', whole(0, 86_400), defaultWaitSeconds);
  examples(command, ['wait up to a minute', 'job wait 1be207de2aa3246a1962af2a2e9b1560 --timeout 60']);
  run.on<GlobalOptions & WaitOptions>(command, async ({ args: [id = ''], options }) => {
    checkIds([id], 'jobs');
    return waitForEnd(await run.open(options), id, options);
  });
};

/** Shows the job when it has ended, or when the time is over. */
export const waitForEnd = async (session: Session, id: string, { own, timeout }: WaitOptions): Promise<ExitCode> => {
  const { io } = session;
  const until = io.now() + timeout * 1000;
  const look = makeLook(session, id, own === true);
  const progress = showProgress(io);
  for (;;) {
    const lookedAt = io.now();
    const answer = await look(Math.max(0, until - lookedAt));
    const { state, reason, progress: told } = answer.body;
    const now = io.now();
    if (!isInFlight(answer.body) || now >= until) {
      session.show(answer, () => jobDetails(io, answer.body));
      if (state === 'succeeded') return exit.done;
      if (isInFlight(answer.body)) io.note(`It is still ${plain(state)} after ${timeout} s.`);
      else io.note(`It did not succeed: ${plain(state)}${reason === undefined ? '' : `, ${plain(reason.code)}`}`);
      return isInFlight(answer.body) ? exit.partly : exit.failed;
    }
    if (told !== undefined) progress(told.done, told.total, plain(told.note ?? state));
    // Most of this time the API has waited for us; where it did not, it is not asked without a pause.
    await io.wait(Math.max(0, Math.min(lookedAt + lookEveryMs, until) - now));
  }
};

const isInFlight = ({ state }: JobAnswer): boolean => ['queued', 'running', 'retrying'].includes(state);

/** Its owner may let the API wait; an operator looks again and again. Who is what, the first answer tells. */
const makeLook = (session: Session, id: string, own: boolean): ((leftMs: number) => Promise<Told<JobAnswer>>) => {
  let asOwner = true;
  return async (leftMs) => {
    if (asOwner) {
      const waitSeconds = Math.min(bounds.waitSecondsMax, Math.ceil(leftMs / 1000));
      try {
        return await session.call(jobAnswer, 'GET', `/jobs/${id}?waitSeconds=${waitSeconds}`);
      } catch (error) {
        const another =
          error instanceof RefusedError && ['job-not-found', 'forbidden'].includes(error.problem?.code ?? '');
        if (!another || own) throw error;
        asOwner = false;
      }
    }
    return session.call(jobAnswer, 'GET', `/operator/jobs/${id}`);
  };
};
