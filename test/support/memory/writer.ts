/**
 * The real store's writes carry a text that only their own call knows; when the SDK repeats a call whose answer was lost,
 * the store recognises its own write by it. Here an object stands for that text. A double reads it in the synchronous
 * part of a call, so that a repetition made by `withFaults` shows the same one, and any other call a fresh one.
 */
let current: object | undefined;

export const writerOfThisCall = (): object => current ?? {};

export const asWriter = <T>(writer: object, call: () => T): T => {
  const outer = current;
  current = writer;
  try {
    return call();
  } finally {
    current = outer;
  }
};
