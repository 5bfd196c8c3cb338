import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { bounds } from '#core/limits.ts';
import { jobAnswer } from '../answers.ts';
import { exit, UsageError } from '../exit.ts';
import type { Io } from '../io.ts';
import { jobDetails } from '../render/job.ts';
import { plain } from '../render/plain.ts';
import { examples, type GlobalOptions, type Run } from './command.ts';
import { defaultWaitSeconds, waitForEnd } from './job-wait.ts';
import { whole } from './parse.ts';

interface SubmitOptions extends GlobalOptions {
  readonly key?: string;
  readonly delay?: number;
  readonly deadline?: number;
  readonly waitBudget?: number;
  readonly wait?: boolean;
}

export const addJobSubmit = (job: Command, run: Run): void => {
  const command = job
    .command('submit')
    .description('submit a job under an idempotency key')
    .argument('<type>', 'job type')
    .argument('<payload>', 'JSON text, @file, or - for the standard input')
    .option('--key <key>', 'idempotency key, 1 to 64 of A-Z a-z 0-9 . _ : -; without it a new one is made and told')
    .option('--delay <seconds>', 'hold the first start back', whole(0, bounds.delaySecondsMax))
    .option('--deadline <seconds>', 'expire unless done by then', whole(1, bounds.deadlineSecondsMax))
    .option('--wait-budget <seconds>', 'bound of all waits between attempts', whole(0, bounds.waitBudgetSecondsMax))
    .option('--wait', `wait up to ${defaultWaitSeconds} s for its end, as job wait does`);
  examples(
    command,
    ['submit, and again: the same job', `job submit ledger.credit '{"account":"me","amount":5}' --key k-1`],
    ['from a file, and wait for its end', 'job submit ledger.credit @payload.json --key k-2 --wait'],
  );
  run.on<SubmitOptions>(command, async ({ args: [type = '', payload = ''], options }) => {
    const request = { type, payload: await readPayload(run.io, payload), ...optionsOf(options) };
    const session = await run.open(options);
    const key = options.key ?? randomUUID();
    // Told before the call: who gets no answer needs the key to find out what became of the job.
    if (options.key === undefined) run.io.note(`The job's key: ${key} (repeat with --key ${key})`);
    if (/[^\x20-\x7e]/.test(key)) throw new UsageError('A key has only A-Z a-z 0-9 . _ : -');
    const answer = await session.call(jobAnswer, 'POST', '/jobs', request, { 'idempotency-key': key });
    if (options.wait) return waitForEnd(session, answer.body.id, { own: true, timeout: defaultWaitSeconds });
    session.show(answer, () => jobDetails(run.io, answer.body));
    const replayed = answer.headers.get('idempotency-replayed') === 'true';
    run.io.note(replayed ? 'This key had been submitted before: the same job.' : `Accepted: ${plain(answer.body.id)}`);
    return exit.done;
  });
};

const optionsOf = ({ delay, deadline, waitBudget }: SubmitOptions) => {
  const options = { delaySeconds: delay, deadlineSeconds: deadline, waitBudgetSeconds: waitBudget };
  return Object.values(options).some((value) => value !== undefined) ? { options } : {};
};

const readPayload = async (io: Io, given: string): Promise<unknown> => {
  const [text, where] =
    given === '-'
      ? [await io.readInput(), 'the standard input']
      : given.startsWith('@')
        ? [readFile(given.slice(1)), given.slice(1)]
        : [given, 'the payload'];
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${where} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
};

const readFile = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The payload cannot be read: ${error instanceof Error ? error.message : error}`);
  }
};
