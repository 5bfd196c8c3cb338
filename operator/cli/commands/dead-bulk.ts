import type { Command } from 'commander';
import { bounds } from '#core/limits.ts';
import { type BulkRequest, type BulkTotals, workThrough } from '../bulk.ts';
import { calledOff, confirm, demandConsent } from '../confirm.ts';
import { type ExitCode, exit, UsageError } from '../exit.ts';
import { count, showProgress } from '../render/bar.ts';
import { plain } from '../render/plain.ts';
import { table } from '../render/table.ts';
import type { Session } from '../session.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { checkIds, time, whole } from './parse.ts';

interface BulkOptions extends GlobalOptions {
  readonly all?: boolean;
  readonly reason?: string;
  readonly type?: string;
  readonly tenant?: string;
  readonly before?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly rate?: number;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly yes?: boolean;
}

type Verb = 'redrive' | 'discard';
const done: Readonly<Record<Verb, string>> = { redrive: 'redriven', discard: 'discarded' };

export const addBulkCommands = (dead: Command, run: Run): void => {
  const redrive = declare(dead, run, 'redrive', 'bring dead jobs back under their own id and key; each takes a slot');
  redrive.option('--force', 'also those that were redriven too often');
  examples(
    redrive,
    ['one job', 'dead redrive 1be207de2aa3246a1962af2a2e9b1560'],
    ['how many it would be', 'dead redrive --reason attempts-exhausted --after 2h --dry-run'],
    ['all of them, at most 10 a second, from a script', 'dead redrive --all --rate 10 --yes'],
  );
  offer(redrive, run, 'redrive');

  const discard = declare(dead, run, 'discard', 'give dead jobs and strays up; the records stay for their retention');
  examples(
    discard,
    ['one stray', 'dead discard stray-1be207de2aa3246a1962af2a2e9b1560'],
    ['what died more than a week ago', 'dead discard --before 7d --dry-run'],
  );
  offer(discard, run, 'discard');
};

const declare = (dead: Command, { io }: Run, verb: Verb, description: string): Command =>
  dead
    .command(verb)
    .description(`${description}; exit 3 when some were skipped, or it stopped before the end`)
    .argument('[id...]', 'these, instead of a filter')
    .option('--all', 'everything that is dead by now, oldest first')
    .option('--reason <code>', 'what died of this')
    .option('--type <type>', 'jobs of this type')
    .option('--tenant <tenant>', 'jobs of this tenant')
    .option('--before <time>', 'what died before: ISO, or how long ago (2h, 7d)', time(io.now))
    .option('--after <time>', 'what died after: ISO, or how long ago (2h, 7d)', time(io.now))
    .option('--limit <n>', 'look at this many at most', whole(1, 1_000_000))
    .option('--rate <n>', 'this many a second at most', whole(1, bounds.ratePerSecondMax))
    .option('--dry-run', 'change nothing, tell how many it would be')
    .option('-y, --yes', 'do not ask; needed with a filter or --all off a terminal');

const offer = (command: Command, run: Run, verb: Verb): void =>
  run.on<BulkOptions>(command, async ({ args: ids, options }) => {
    const request = requestOf(verb, ids, options);
    const what = `This will ${verb} ${describe(request)}.`;
    if (request.ids === undefined && !request.dryRun) demandConsent(run.io, options.yes, what);
    const session = await run.open(options);
    if (request.ids !== undefined || request.dryRun || options.yes) return work(session, verb, request);

    const preview = await workThrough(session, { ...request, dryRun: true, rate: undefined }, () => undefined);
    const many = preview.stoppedBy === 'end' ? count(preview.moved) : `${count(preview.moved)} or more`;
    if (!(await confirm(run.io, false, `${what} A dry run found ${many}.`))) return calledOff;
    return work(session, verb, request, preview.examined);
  });

const requestOf = (verb: Verb, ids: readonly string[], options: BulkOptions): BulkRequest => {
  const { all, reason, type, tenant, before, after, limit, rate, dryRun = false, force = false } = options;
  const filter = { reason, type, tenant, before, after };
  const filtered = Object.values(filter).some((value) => value !== undefined);
  if ([ids.length > 0, filtered || all].filter(Boolean).length !== 1) {
    throw new UsageError('Say which: either ids, or a filter, or --all.');
  }
  checkIds(ids, 'dead');
  return {
    path: `/operator/dead/${verb}`,
    ids: ids.length > 0 ? [...new Set(ids)] : undefined,
    filter: filtered ? filter : undefined,
    limit,
    rate,
    dryRun,
    force,
  };
};

const describe = ({ ids, filter, limit }: BulkRequest): string => {
  const which =
    ids !== undefined
      ? `${ids.length} by id`
      : filter === undefined
        ? 'everything that is dead'
        : `what is dead with ${Object.entries(filter)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => `${name} ${value}`)
            .join(', ')}`;
  return limit === undefined ? which : `${which}, ${count(limit)} at most`;
};

const work = async (session: Session, verb: Verb, request: BulkRequest, expected?: number): Promise<ExitCode> => {
  const { io } = session;
  const progress = showProgress(io);
  const total = request.ids?.length ?? (expected && Math.min(expected, request.limit ?? expected));
  const totals = await workThrough(session, request, ({ examined }, text) => {
    if (session.json) session.showText(text);
    progress(examined, total, 'looked at');
  });
  if (!session.json) report(session, verb, request, totals);
  return totals.stoppedBy === 'end' && totals.skipped.length === 0 ? exit.done : exit.partly;
};

const shownSkipsMax = 50;

const stops: Readonly<Record<string, string>> = {
  full: 'Stopped: all slots are taken. Repeat it when there is room (sluice status).',
  closed: 'Stopped: the intake is closed, so no slot may be taken. Open it first: sluice intake open',
  limit: 'Stopped at --limit; repeat it for more.',
  time: 'Stopped: the API ran out of time several times without getting further. Repeat it.',
};

const report = ({ io }: Session, verb: Verb, { dryRun }: BulkRequest, totals: BulkTotals): void => {
  const { examined, moved, skipped, stoppedBy } = totals;
  const would = dryRun ? `would be ${done[verb]}` : done[verb];
  io.out(`${count(moved)} ${would}, ${count(skipped.length)} skipped, ${count(examined)} looked at`);
  const columns = [
    { title: 'SKIPPED', cell: ({ id }: { id: string }) => id },
    { title: 'BECAUSE', cell: ({ code }: { code: string }) => code },
  ];
  if (skipped.length > 0) for (const line of table(io, skipped.slice(0, shownSkipsMax), columns)) io.out(line);
  if (skipped.length > shownSkipsMax) io.note(`… and ${count(skipped.length - shownSkipsMax)} more; --json has all`);
  if (skipped.some(({ code }) => code === 'redrive-limit'))
    io.note('Redriven too often: look at why they die, then --force');
  if (verb === 'redrive' && skipped.some(({ id }) => id.startsWith('stray-')))
    io.note('A stray is no job: it can be shown and discarded, not redriven.');
  if (stoppedBy !== 'end') io.note(stops[stoppedBy] ?? `Stopped by ${plain(stoppedBy)}.`);
};
