import type { Command } from 'commander';
import { states } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import { jobAnswer, jobsPage } from '../answers.ts';
import { exit, Failure } from '../exit.ts';
import { jobDetails, jobTable } from '../render/job.ts';
import { plain } from '../render/plain.ts';
import { RefusedError } from '../session.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { addLogs } from './job-logs.ts';
import { addJobSubmit } from './job-submit.ts';
import { addJobWait } from './job-wait.ts';
import { listPages } from './pages.ts';
import { checkIds, oneOf, query, whole } from './parse.ts';

/** Commands of people who look for jobs as operators, or as the submitters of their own. */
interface OwnOption extends GlobalOptions {
  readonly own?: boolean;
}
const ownOption = [
  '--own',
  "as the job's submitter: takes the right to jobs* only, and finds one's own jobs only",
] as const;
const jobsPath = ({ own }: OwnOption): `/${string}` => (own ? '/jobs' : '/operator/jobs');

export const addJobCommands = (program: Command, run: Run): void => {
  const job = program.command('job').description('submit, show, list, cancel and wait for jobs');
  addJobSubmit(job, run);
  addShow(job, run);
  addList(job, run);
  addCancel(job, run);
  addJobWait(job, run);
};

const addShow = (job: Command, run: Run): void => {
  const command = job
    .command('show')
    .description('show one job: state, reason, payload, result, history')
    .argument('<id>')
    .option(...ownOption)
    .option(
      '--logs',
      'also find its log lines; takes the rights lambda:GetFunctionConfiguration and logs:FilterLogEvents',
    );
  examples(
    command,
    ['a job with its history', 'job show 1be207de2aa3246a1962af2a2e9b1560'],
    ['with what the functions logged about it', 'job show 1be207de2aa3246a1962af2a2e9b1560 --logs'],
  );
  run.on<OwnOption & { logs?: boolean }>(command, async ({ args: [id = ''], options }) => {
    checkIds([id], 'jobs');
    const session = await run.open(options);
    const answer = await session.call(jobAnswer, 'GET', `${jobsPath(options)}/${id}`);
    session.show(answer, () => jobDetails(run.io, answer.body));
    return options.logs ? addLogs(session, answer.body) : exit.done;
  });
};

interface ListOptions extends OwnOption {
  readonly state?: string;
  readonly type?: string;
  readonly tenant?: string;
  readonly limit: number;
  readonly cursor?: string;
}

const addList = (job: Command, run: Run): void => {
  const command = job
    .command('list')
    .description('list jobs, newest first')
    .option(...ownOption)
    .option('--state <state>', `one of ${states.join(', ')}`, oneOf(states))
    .option('--type <type>', 'of this job type only')
    .option('--tenant <tenant>', 'of this tenant only; not with --own')
    .option('--limit <n>', 'how many to show', whole(1, 10_000), bounds.pageLimitDefault)
    .option('--cursor <cursor>', 'go on where an earlier list of the same query stopped');
  examples(
    command,
    ['what is being retried', 'job list --state retrying'],
    ['the newest 200 of a type, one answer of the API a line', 'job list --type ledger.credit --limit 200 --json'],
  );
  run.on<ListOptions>(command, async ({ options }) => {
    const session = await run.open(options);
    const { state, type, tenant } = options;
    return listPages(session, options, {
      page: (limit, cursor) =>
        session.call(jobsPage, 'GET', `${jobsPath(options)}${query({ state, type, tenant, limit, cursor })}`),
      lines: (jobs) => jobTable(run.io, jobs),
      none: 'No job is like that.',
    });
  });
};

const addCancel = (job: Command, run: Run): void => {
  const command = job
    .command('cancel')
    .description('cancel jobs; a running one is asked to end, and may still end otherwise (exit 3)')
    .argument('<id...>')
    .option(...ownOption);
  examples(command, ['cancel a job', 'job cancel 1be207de2aa3246a1962af2a2e9b1560']);
  run.on<OwnOption>(command, async ({ args: ids, options }) => {
    checkIds(ids, 'jobs');
    const session = await run.open(options);
    let cancelled = 0;
    let failed = 0;
    for (const id of ids) {
      try {
        const answer = await session.call(jobAnswer, 'POST', `${jobsPath(options)}/${id}/cancel`);
        if (answer.status === 200) cancelled++;
        const what =
          answer.status === 200 ? 'cancelled' : 'cancel requested; it is running and may still end otherwise';
        session.show(answer, () => [`${id}  ${what}`]);
      } catch (error) {
        // One that has ended already, or is unknown, does not keep the others from being cancelled.
        if (!(error instanceof RefusedError) || ids.length === 1 || ![404, 409].includes(error.status)) throw error;
        failed++;
        if (session.json) session.showText(error.text);
        run.io.note(`${id}  ${plain(error.problem?.code)}: ${plain(error.message)}`);
      }
    }
    if (failed === ids.length) throw new Failure('None of the jobs could be cancelled.');
    return cancelled === ids.length ? exit.done : exit.partly;
  });
};
