import type { Command } from 'commander';
import { bounds } from '#core/limits.ts';
import { deadPage, jobAnswer } from '../answers.ts';
import { exit, Failure } from '../exit.ts';
import { deadTable, isStray, jobDetails, strayDetails } from '../render/job.ts';
import type { Session } from '../session.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { addBulkCommands } from './dead-bulk.ts';
import { listPages } from './pages.ts';
import { checkIds, query, whole } from './parse.ts';

interface ListOptions extends GlobalOptions {
  readonly reason?: string;
  readonly type?: string;
  readonly tenant?: string;
  readonly limit: number;
  readonly cursor?: string;
}

export const addDeadCommands = (program: Command, run: Run): void => {
  const dead = program.command('dead').description('list, show, redrive and discard dead jobs and strays');
  addList(dead, run);
  addShow(dead, run);
  addBulkCommands(dead, run);
};

const addList = (dead: Command, run: Run): void => {
  const command = dead
    .command('list')
    .description('list dead jobs and strays, newest first')
    .option('--reason <code>', 'that died of this only: attempts-exhausted, permanent-error, worker-lost …')
    .option('--type <type>', 'of this job type only')
    .option('--tenant <tenant>', 'of this tenant only')
    .option('--limit <n>', 'how many to show', whole(1, 10_000), bounds.pageLimitDefault)
    .option('--cursor <cursor>', 'go on where an earlier list of the same query stopped');
  examples(
    command,
    ['the newest dead', 'dead list'],
    [
      'the ids of all that lost their worker',
      'dead list --reason worker-lost --limit 1000 --json | jq -r ".jobs[].id"',
    ],
  );
  run.on<ListOptions>(command, async ({ options }) => {
    const session = await run.open(options);
    const { reason, type, tenant } = options;
    return listPages(session, options, {
      page: (limit, cursor) =>
        session.call(deadPage, 'GET', `/operator/dead${query({ reason, type, tenant, limit, cursor })}`),
      lines: (entries) => deadTable(run.io, entries),
      none: 'Nothing dead is like that.',
    });
  });
};

const addShow = (dead: Command, run: Run): void => {
  const command = dead.command('show').description('show one dead job with its history, or a stray').argument('<id>');
  examples(command, ['what it died of', 'dead show 1be207de2aa3246a1962af2a2e9b1560']);
  run.on<GlobalOptions>(command, async ({ args: [id = ''], options }) => {
    checkIds([id], 'dead');
    const session = await run.open(options);
    if (id.startsWith('stray-')) return showStray(session, id);
    const answer = await session.call(jobAnswer, 'GET', `/operator/jobs/${id}`);
    session.show(answer, () => jobDetails(run.io, answer.body));
    if (answer.body.state === 'dead') return exit.done;
    run.io.note('The job is not dead.');
    return exit.failed;
  });
};

/** The API has no call for one stray, so the list is looked through. */
const showStray = async (session: Session, id: string) => {
  let cursor: string | undefined;
  do {
    const { body } = await session.call(
      deadPage,
      'GET',
      `/operator/dead${query({ limit: bounds.pageLimitMax, cursor })}`,
    );
    for (const entry of body.jobs) {
      if (!isStray(entry) || entry.id !== id) continue;
      session.show({ text: JSON.stringify(entry) }, () => strayDetails(session.io, entry));
      return exit.done;
    }
    cursor = body.cursor;
  } while (cursor !== undefined);
  throw new Failure('No such stray is kept.', 'List what is: sluice dead list');
};
