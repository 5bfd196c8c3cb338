import type { Io } from '../io.ts';

/** A part of a whole as `[####------]`; more than the whole fills it. */
export const bar = (part: number, whole: number, width = 24): string => {
  const filled = whole <= 0 ? 0 : Math.min(width, Math.round((part / whole) * width));
  return `[${'#'.repeat(filled)}${'-'.repeat(width - filled)}]`;
};

export const count = (n: number): string => n.toLocaleString('en-US');

/** Progress on the notes: one line that is redrawn on a terminal; elsewhere a line for each change. */
export const showProgress = (io: Io): ((done: number, total: number | undefined, what: string) => void) => {
  let last = '';
  return (done, total, what) => {
    const line =
      total === undefined ? `${count(done)} ${what}` : `${bar(done, total)} ${count(done)} of ${count(total)} ${what}`;
    if (line === last) return;
    last = line;
    if (io.isTerminal.note) io.redraw('note', [line]);
    else io.note(line);
  };
};
