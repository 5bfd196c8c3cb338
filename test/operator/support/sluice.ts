import type { Io } from '../../../operator/cli/io.ts';
import { run } from '../../../operator/cli/program.ts';

export interface Outcome {
  readonly code: number;
  readonly out: readonly string[];
  readonly notes: readonly string[];
  /** Both, and what was drawn over. */
  readonly all: string;
}

export interface Circumstances {
  readonly terminal?: boolean;
  readonly columns?: number;
  /** What the person at the terminal answers to each question. */
  readonly answers?: readonly string[];
  readonly input?: string;
  readonly now?: number;
  /** Told each time the clock is looked at: what it says then. */
  readonly tick?: () => number;
  readonly outputsFile?: string;
}

export const noon = Date.parse('2026-01-31T12:00:00.000Z');

/** Runs a command line in this process. Waits take no time, but the clock goes on by them. */
export const sluice = async (argv: readonly string[], circumstances: Circumstances = {}): Promise<Outcome> => {
  const { terminal = false, columns = 80, answers = [], input = '', outputsFile = '/nonexistent' } = circumstances;
  const out: string[] = [];
  const notes: string[] = [];
  const all: string[] = [];
  const left = [...answers];
  let now = circumstances.now ?? noon;
  const keepIn = (lines: string[]) => (line: string) => {
    lines.push(line);
    all.push(line);
  };
  const io: Io = {
    out: keepIn(out),
    note: keepIn(notes),
    redraw: (_on, lines) => void all.push(...lines),
    isTerminal: { out: terminal, note: terminal },
    columns: () => (terminal ? columns : Number.POSITIVE_INFINITY),
    ask: terminal
      ? async (question) => {
          notes.push(question);
          all.push(question);
          return left.shift() ?? '';
        }
      : undefined,
    readInput: async () => input,
    paint: (_colour, text) => text,
    now: () => circumstances.tick?.() ?? now,
    wait: async (ms) => {
      now += ms;
    },
  };
  const code = await run(argv, io, outputsFile);
  return { code, out, notes, all: all.join('\n') };
};

/** The same against this API. */
export const sluiceAt =
  ({ url }: { readonly url: string }) =>
  (line: string | readonly string[], circumstances?: Circumstances): Promise<Outcome> =>
    sluice([...(typeof line === 'string' ? line.split(' ') : line), '--api-url', url], circumstances);
