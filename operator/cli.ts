import { run } from './cli/program.ts';
import { terminalIo } from './cli/terminal-io.ts';

process.exitCode = await run(process.argv.slice(2), terminalIo());
