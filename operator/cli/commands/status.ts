import type { Command } from 'commander';
import { exit } from '../exit.ts';
import { readStatus } from '../poll-status.ts';
import { plain } from '../render/plain.ts';
import { statusLine, statusLines } from '../render/status.ts';
import type { Session } from '../session.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { whole } from './parse.ts';

export const addStatusCommands = (program: Command, run: Run): void => {
  const status = program.command('status').description('intake, consumer, slots, backlog and dead');
  examples(status, ['is it healthy?', 'status'], ['slots taken, in a script', 'status --json | jq .inFlight.total']);
  run.on<GlobalOptions>(status, async ({ options }) => {
    const session = await run.open(options);
    const answer = await readStatus(session);
    session.show(answer, () => statusLines(run.io, answer.body));
    return exit.done;
  });

  const watch = program
    .command('watch')
    .description('the status, again and again; off a terminal one line each time')
    .option('--interval <seconds>', 'between two looks', whole(1, 3_600), 2)
    .option('--count <n>', 'end after so many looks', whole(1, 1_000_000));
  examples(
    watch,
    ['until Ctrl-C', 'watch'],
    ['a line every ten seconds for an hour', 'watch --interval 10 --count 360 | tee status.log'],
  );
  run.on<GlobalOptions & { interval: number; count?: number }>(watch, async ({ options }) => {
    const session = await run.open(options);
    const { interval, count = Number.POSITIVE_INFINITY } = options;
    let failed = false;
    for (let looks = 1; ; looks++) {
      failed = !(await look(session, looks === 1, interval));
      if (looks >= count) return failed ? exit.failed : exit.done;
      await run.io.wait(interval * 1000);
    }
  });
};

/** A look that fails is told and passed over, so that a night's watch outlives a bad minute; only the first one must work. */
const look = async (session: Session, isFirst: boolean, interval: number): Promise<boolean> => {
  const { io, json, target } = session;
  const draw = (lines: readonly string[]) =>
    io.redraw('out', [
      io.paint('dim', `${target.apiUrl}  every ${interval} s, Ctrl-C ends it`),
      ...lines,
      io.paint('dim', new Date(io.now()).toISOString()),
    ]);
  try {
    const answer = await readStatus(session);
    if (json) session.showText(answer.text);
    else if (io.isTerminal.out) draw(statusLines(io, answer.body));
    else io.out(statusLine(io, answer.body));
    return true;
  } catch (error) {
    if (isFirst) throw error;
    const message = plain(error instanceof Error ? error.message : error);
    if (io.isTerminal.out && !json) draw([io.paint('red', message)]);
    else io.note(message);
    return false;
  }
};
