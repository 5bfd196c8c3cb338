import type { Command } from 'commander';
import { bounds } from '#core/limits.ts';
import { statusAnswer } from '../answers.ts';
import { calledOff, confirm } from '../confirm.ts';
import { exit } from '../exit.ts';
import { pollStatus, readStatus } from '../poll-status.ts';
import { count } from '../render/bar.ts';
import { plain } from '../render/plain.ts';
import { statusLines } from '../render/status.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { whole } from './parse.ts';

/** A mapping takes up to about a minute to change over. */
const switchTimeoutSeconds = 120;

export const addConsumerCommands = (program: Command, run: Run): void => {
  const consumer = program.command('consumer').description('pause and resume the consumer');
  const verbs = [
    { verb: 'pause', state: 'paused', description: 'start no more jobs; what runs is ended, submissions go on' },
    { verb: 'resume', state: 'running', description: 'start jobs again' },
  ] as const;
  for (const { verb, state, description } of verbs) {
    const command = consumer.command(verb).description(description).option('--no-wait', 'return while it changes over');
    examples(command, [`${verb}, and wait until it is ${state}`, `consumer ${verb}`]);
    run.on<GlobalOptions & { wait: boolean }>(command, async ({ options }) => {
      const session = await run.open(options);
      const asked = await session.call(statusAnswer, 'POST', '/operator/consumer', { state });
      const fits = ({ consumer: now }: { consumer: string }) => now === state;
      const answer = options.wait ? await pollStatus(session, asked, fits, switchTimeoutSeconds) : asked;
      session.show(answer, () => [plain(answer.body.consumer)]);
      if (fits(answer.body) || !options.wait) return exit.done;
      run.io.note(`It is still ${plain(answer.body.consumer)} after ${switchTimeoutSeconds} s.`);
      return exit.partly;
    });
  }
};

export const addCapacityCommands = (program: Command, run: Run): void => {
  const capacity = program.command('capacity').description('show and set how many jobs may be in flight');

  const show = capacity.command('show').description('the capacity in force, and how much of it is taken');
  examples(show, ['slots taken, of how many', 'capacity show']);
  run.on<GlobalOptions>(show, async ({ options }) => {
    const session = await run.open(options);
    const answer = await readStatus(session);
    const { capacity: inForce, inFlight } = answer.body;
    session.show(answer, () => [`${count(inForce)} (${count(inFlight.total)} taken)`]);
    return exit.done;
  });

  const set = capacity
    .command('set')
    .description('set the capacity; in force when this returns')
    .argument('<n>', `1 to ${count(bounds.capacityMax)}`, whole(1, bounds.capacityMax))
    .option('-y, --yes', 'do not ask when it is lowered; needed for that off a terminal');
  examples(set, ['raise it', 'capacity set 2000'], ['lower it, from a script', 'capacity set 100 --yes']);
  run.on<GlobalOptions & { yes?: boolean }>(set, async ({ args: [n], options }) => {
    const wanted = Number(n);
    const session = await run.open(options);
    const { capacity: inForce, inFlight } = (await readStatus(session)).body;
    if (wanted < inForce) {
      const over =
        inFlight.total > wanted ? ` Nothing is let in until ${count(inFlight.total - wanted)} have ended.` : '';
      const what = `The capacity goes from ${count(inForce)} down to ${count(wanted)}.${over}`;
      if (!(await confirm(run.io, options.yes, what))) return calledOff;
    }
    const answer = await session.call(statusAnswer, 'POST', '/operator/capacity', { capacity: wanted });
    session.show(answer, () => statusLines(run.io, answer.body));
    if (answer.body.capacity === wanted) return exit.done;
    run.io.note(`Another change came after this one: the capacity is ${count(answer.body.capacity)}.`);
    return exit.partly;
  });
};
