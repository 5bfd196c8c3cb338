import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Io } from './io.ts';

/** The process's own streams and clock. `styleText` sees to NO_COLOR, and to streams that are no terminal. */
export const terminalIo = (): Io => {
  const { stdin, stdout, stderr } = process;
  // Who reads our output may have read enough, as `head` does.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  const drawn = { out: 0, note: 0 };
  const streams = { out: stdout, note: stderr };
  return {
    out: (line) => {
      drawn.out = 0;
      stdout.write(`${line}\n`);
    },
    note: (line) => {
      drawn.note = 0;
      stderr.write(`${line}\n`);
    },
    redraw: (on, lines) => {
      const stream = streams[on];
      if (!stream.isTTY) return;
      if (drawn[on] > 0) {
        stream.moveCursor(0, -drawn[on]);
        stream.cursorTo(0);
        stream.clearScreenDown();
      }
      stream.write(lines.map((line) => `${line}\n`).join(''));
      const rows = (line: string) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / stream.columns));
      drawn[on] = lines.reduce((sum, line) => sum + rows(line), 0);
    },
    isTerminal: { out: stdout.isTTY === true, note: stderr.isTTY === true },
    columns: () => (stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY),
    ask: stdin.isTTY && stderr.isTTY ? askPerson : undefined,
    readInput: () => text(stdin),
    paint: (colour, plain) => styleText(colour, plain, { stream: stdout }),
    now: () => Date.now(),
    wait: (ms) => sleep(ms),
  };
};

const askPerson = async (question: string): Promise<string> => {
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await Promise.race([
      reader.question(question),
      // The end of the input is an answer too: none.
      new Promise<string>((resolve) => reader.once('close', () => resolve(''))),
    ]);
  } finally {
    reader.close();
  }
};
