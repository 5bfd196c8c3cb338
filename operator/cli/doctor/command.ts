import type { Command } from 'commander';
import { statusAnswer } from '../answers.ts';
import { examples, type GlobalOptions, type Run } from '../commands/command.ts';
import { exit, Failure } from '../exit.ts';
import type { Colour, Io } from '../io.ts';
import { plain } from '../render/plain.ts';
import type { Session } from '../session.ts';
import { checkClock, checkRights } from './access.ts';
import { type Check, fail, ok } from './check.ts';
import { checkCondition, checkSettings } from './condition.ts';

/** Short, so that an API that hangs is told soon; the status takes well below a second. */
const timeoutMs = 10_000;

export const addDoctorCommand = (program: Command, run: Run): void => {
  const command = program
    .command('doctor')
    .description('check configuration, rights, clock and condition; changes nothing. Exit 1 when a check fails');
  examples(
    command,
    ['what is wrong, and what helps', 'doctor'],
    ['what is not well, in a script', `doctor --json | jq '.checks[] | select(.result != "ok")'`],
  );
  run.on<GlobalOptions>(command, async ({ options }) => {
    const checks = await examine(() => run.open(options, timeoutMs), run.io);
    if (options.json) run.io.out(JSON.stringify({ checks }));
    else for (const check of checks) for (const line of checkLines(run.io, check)) run.io.out(line);
    return checks.some(({ result }) => result === 'fail') ? exit.failed : exit.done;
  });
};

/** Each step needs the one before; what comes after a failed one is not looked at. */
const examine = async (open: () => Promise<Session>, io: Io): Promise<readonly Check[]> => {
  const checks: Check[] = [];
  const step = async <T>(name: string, fix: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      const known = error instanceof Failure ? error.fix : undefined;
      checks.push(fail(name, error instanceof Error ? error.message : String(error), known ?? fix));
      return undefined;
    }
  };

  const session = await step('configuration', 'Name the API: --stack or --api-url', open);
  if (session === undefined) return checks;
  const { target } = session;
  checks.push(ok('configuration', `${target.apiUrl}, region ${target.sdk.region}, found by ${target.source}`));

  const credentials = await step('credentials', 'Give --profile, or sign in', () => target.sdk.credentials());
  if (credentials === undefined) return checks;
  const kind = credentials.sessionToken === undefined ? 'a key pair' : 'temporary credentials';
  checks.push(ok('credentials', `${kind}, key id …${credentials.accessKeyId.slice(-4)}`));

  const reached = await step('reachable', 'Check the URL, the network and a proxy', async () => {
    const sentAt = io.now();
    const answer = await session.raw('GET', '/operator/status');
    return { answer, sentAt, cameAt: io.now() };
  });
  if (reached === undefined) return checks;
  const { answer, sentAt, cameAt } = reached;
  checks.push(ok('reachable', `answers in ${cameAt - sentAt} ms`), checkClock(answer, sentAt, cameAt));

  const rights = await step('rights', 'Try again', () => checkRights(session));
  checks.push(...(rights ?? []));
  const status = statusAnswer.safeParse(answer.body).data;
  if (status !== undefined) checks.push(...checkCondition(status));
  else
    checks.push(
      fail('status', `the answer was ${answer.status}`, 'See the rights above, then the log of the function operator.'),
    );
  const granted = rights?.every(({ result }) => result === 'ok') ?? false;
  return [...checks, ...checkSettings(granted && status !== undefined)];
};

const colours: Readonly<Record<Check['result'], Colour>> = { ok: 'green', warn: 'yellow', fail: 'red', unseen: 'dim' };
const resultWidth = 'unseen'.length;

const checkLines = (io: Io, { name, result, detail, fix }: Check): readonly string[] => [
  `${io.paint(colours[result], result.padEnd(resultWidth))}  ${name}: ${plain(detail)}`,
  ...(fix === undefined ? [] : [`${' '.repeat(resultWidth)}  fix: ${plain(fix)}`]),
];
