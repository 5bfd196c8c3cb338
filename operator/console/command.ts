import type { Command } from 'commander';
import { examples, type GlobalOptions, type Run } from '../cli/commands/command.ts';
import { whole } from '../cli/commands/parse.ts';
import { exit, Failure } from '../cli/exit.ts';
import { plain } from '../cli/render/plain.ts';
import { RefusedError, type Session } from '../cli/session.ts';
import { type RunningConsole, startConsole } from './server.ts';

export const addConsoleCommand = (program: Command, run: Run): void => {
  const command = program
    .command('console')
    .description('serve a page on this machine to watch and operate with, until Ctrl-C')
    .option('--port <n>', 'on loopback; any free one unless given', whole(1, 65_535), 0);
  examples(
    command,
    ['open the address that it prints in a browser', 'console'],
    ['of a stack, always on the same port', 'console --stack sluice-production --port 4580'],
  );
  run.on<GlobalOptions & { port: number }>(command, async ({ options }) => {
    const session = await run.open(options);
    await checkAccess(session);
    const { apiUrl, source, sdk } = session.target;
    const running = await start(options.port, {
      upstream: (method, path, body) => session.raw(method, path, body),
      about: { apiUrl, source, region: sdk.region },
      report: (error) => run.io.note(plain(error instanceof Error ? error.stack : error)),
    });
    const asked = untilAskedToStop();
    run.io.out(options.json ? JSON.stringify({ url: running.url }) : running.url);
    run.io.note(`The console of ${apiUrl}. Whoever has this address acts with your credentials. Ctrl-C ends it.`);
    await asked;
    await running.stop();
    run.io.note('The console has ended.');
    return exit.done;
  });
};

/** Wrong credentials and a wrong URL are told here, where they can be mended; an API that is down is what one wants to watch. */
const checkAccess = async (session: Session): Promise<void> => {
  const answer = await session.raw('GET', '/operator/status');
  if (answer.status === 401 || answer.status === 403) throw new RefusedError(answer);
  if (answer.status !== 200) session.io.note(`The API answers ${answer.status} at the moment.`);
};

const start = async (
  port: number,
  config: Omit<Parameters<typeof startConsole>[0], 'port'>,
): Promise<RunningConsole> => {
  try {
    return await startConsole({ ...config, port });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Failure(`Port ${port} is in use.`, 'Leave --port away to get a free one.', { cause: error });
  }
};

/** Signals may come twice, from the terminal and from the launcher: the handlers stay, so that the second ends nothing midway. */
const untilAskedToStop = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
  });
