/** What may be logged of an error: its class and where it was thrown. Its message may quote what a caller sent. */
export interface Failure {
  readonly error: string;
  /** The first frame of its stack, where there is one. */
  readonly at: string;
}

export const describeFailure = (error: unknown): Failure => ({
  error: error instanceof Error ? error.name : typeof error,
  at: framesOf(error)[0] ?? '',
});

const framesMax = 8;

/**
 * Stack frames without the message above them. The message is cut off as what it is and not by the look of its lines: one
 * of them may look like a frame. Where it is not found in the stack, which of its lines are frames cannot be told.
 */
export const framesOf = (error: unknown): readonly string[] => {
  if (!(error instanceof Error)) return [];
  const { stack = '', message } = error;
  const at = stack.indexOf(message);
  if (at === -1) return [];
  return stack
    .slice(at + message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .slice(0, framesMax);
};

/** What could not be done now and may be done later: too many others changed the same, or a service left work undone. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

/**
 * True for what the SDK and Node report when a service did not answer, or did not answer well: the same call may succeed
 * later. False for mistakes in a program, whose codes begin with ERR_.
 */
export const isServiceFailure = (error: unknown): boolean => {
  if (typeof error !== 'object' || error === null) return false;
  if (error instanceof Unavailable) return true;
  const { name, code } = error as { name?: unknown; code?: unknown };
  return (
    '$metadata' in error ||
    '$fault' in error ||
    'syscall' in error ||
    name === 'TimeoutError' ||
    name === 'CallTooOld' ||
    (typeof code === 'string' && /^E(?!RR_)[A-Z]+$/.test(code))
  );
};
