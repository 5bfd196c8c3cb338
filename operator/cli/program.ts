import { Command, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { addConsoleCommand } from '../console/command.ts';
import { addPlanCommand } from '../plan/command.ts';
import { makeRun } from './commands/command.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addDeadCommands } from './commands/dead.ts';
import { addIntakeCommands } from './commands/intake.ts';
import { addJobCommands } from './commands/job.ts';
import { addCapacityCommands, addConsumerCommands } from './commands/operate.ts';
import { addStatusCommands } from './commands/status.ts';
import { addDoctorCommand } from './doctor/command.ts';
import { type ExitCode, exit } from './exit.ts';
import type { Io } from './io.ts';
import { reportError } from './report-error.ts';

const about = `Operates Sluice, bounded and idempotent background jobs, over its HTTP API.

The API is found by --api-url, by the outputs of --stack, or else it is the local stack of this clone.
Data goes to the standard output, notes to standard error.
Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done.`;

/** Runs one command line, without the program's name. Resolves to its exit code and throws nothing. */
export const run = async (argv: readonly string[], io: Io, outputsFile?: string): Promise<ExitCode> => {
  let code: ExitCode = exit.done;
  const program = new Command('sluice').description(about).version(packageJson.version).exitOverride();
  program
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(io.columns(), 110) })
    .configureOutput({
      writeOut: (text) => io.out(text.trimEnd()),
      writeErr: (text) => io.note(text.trimEnd()),
    })
    .showHelpAfterError('(add --help for what it takes)')
    .option('--json', 'print what the API answers, unchanged')
    .addOption(new Option('--api-url <url>', 'the API itself').env('SLUICE_API_URL'))
    .addOption(new Option('--stack <name>', 'the CloudFormation stack that has the API').env('SLUICE_STACK'))
    .option('--profile <name>', 'profile of the AWS configuration')
    .option('--region <region>', "AWS region, unless the profile's or AWS_REGION")
    .addOption(new Option('--endpoint-url <url>', 'of an emulator of AWS').env('AWS_ENDPOINT_URL'));
  const commands = makeRun(io, outputsFile, (end) => {
    code = end;
  });
  addStatusCommands(program, commands);
  addJobCommands(program, commands);
  addDeadCommands(program, commands);
  addIntakeCommands(program, commands);
  addConsumerCommands(program, commands);
  addCapacityCommands(program, commands);
  addPlanCommand(program, commands);
  addConsoleCommand(program, commands);
  addDoctorCommand(program, commands);
  addCompletionCommand(program, commands);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error, io, argv.includes('--json'));
  }
};
