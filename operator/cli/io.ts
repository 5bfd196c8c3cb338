export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Where the command line reads and writes. Lines come in without their end, and already made plain. */
export interface Io {
  /** Data. */
  readonly out: (line: string) => void;
  /** Notes, progress and errors. */
  readonly note: (line: string) => void;
  /** Draws these lines over the last ones that were drawn there; only where that is a terminal. */
  readonly redraw: (on: 'out' | 'note', lines: readonly string[]) => void;
  readonly isTerminal: { readonly out: boolean; readonly note: boolean };
  /** Columns of the terminal that data goes to; unbounded elsewhere. */
  readonly columns: () => number;
  /** A question to the person at the terminal; undefined where there is none. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  readonly readInput: () => Promise<string>;
  readonly paint: (colour: Colour, text: string) => string;
  readonly now: () => number;
  readonly wait: (ms: number) => Promise<void>;
}
