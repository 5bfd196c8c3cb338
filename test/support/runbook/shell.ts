import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../../localstack/places.ts';

/**
 * One `sh -eu` in the project's directory, which runs block after block, so that variables and functions stay as they do
 * for a reader. Nothing of this process's environment is in it but `variables`. Each `npx sluice` finds its credentials by
 * the options that it gets, and not in the variables.
 */
export class Shell {
  readonly #directory = mkdtempSync(join(tmpdir(), 'sluice-runbook-'));
  readonly #shell: ChildProcess;
  #output = '';
  #heard: (() => void) | undefined;
  #ended = false;

  constructor(variables: Readonly<Record<string, string>>, sluiceOptions = '') {
    const bin = `${this.#directory}/bin`;
    mkdirSync(bin);
    // What `npx sluice` starts, without npm's own second of work each time.
    writeFileSync(`${bin}/npx`, npxStub(sluiceOptions));
    chmodSync(`${bin}/npx`, 0o755);
    this.#shell = spawn('sh', ['-eu'], {
      cwd: projectRoot,
      env: {
        PATH: `${bin}:${projectRoot}/node_modules/.bin:${process.env['PATH']}`,
        HOME: this.#directory,
        ...variables,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#shell.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#heard?.();
    });
    this.#shell.stdin?.on('error', () => undefined);
    this.#shell.once('close', () => {
      this.#ended = true;
      this.#heard?.();
    });
  }

  /** Runs commands and resolves to all that they printed. Rejects when one fails, which ends the shell. */
  async run(text: string): Promise<string> {
    const end = randomUUID();
    const file = `${this.#directory}/${end}.sh`;
    writeFileSync(file, text);
    this.#output = '';
    this.#shell.stdin?.write(`. '${file}' </dev/null 2>&1\necho '${end}'\n`);
    for (;;) {
      const at = this.#output.indexOf(end);
      if (at >= 0) return this.#output.slice(0, at);
      if (this.#ended) throw new Error(`the shell ended; it printed:\n${this.#output}`);
      await new Promise<void>((resolve) => {
        this.#heard = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.#shell.stdin?.end();
    if (!this.#ended) this.#shell.kill();
    rmSync(this.#directory, { recursive: true, force: true });
  }
}

const npxStub = (options: string): string => `#!/bin/sh
[ "$1" = sluice ] || { echo "the runbook starts another program: $1" >&2; exit 1; }
shift
exec env -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY -u AWS_SESSION_TOKEN node '${projectRoot}/operator/cli.ts' "$@" ${options}
`;
