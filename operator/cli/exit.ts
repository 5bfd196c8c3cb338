/** What the command line ends with. `partly`: something was left undone, and may be done by another call. */
export const exit = { done: 0, failed: 1, usage: 2, partly: 3 } as const;
export type ExitCode = (typeof exit)[keyof typeof exit];

/** The command line itself is wrong, or not enough. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Something outside the command line is wrong; `fix` says what may help. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly fix: string | undefined;
  constructor(message: string, fix?: string, options?: ErrorOptions) {
    super(message, options);
    this.fix = fix;
  }
}
