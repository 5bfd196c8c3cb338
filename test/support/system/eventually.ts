import { vi } from 'vitest';

/**
 * Waits for a condition instead of a duration: repeats a check that throws (or rejects) until it does not, and returns
 * what it returned. Rejects with the check's last error once `withinMs` is over.
 */
export const eventually = <T>(check: () => T | Promise<T>, { withinMs = 30_000, everyMs = 50 } = {}): Promise<T> =>
  vi.waitFor(check, { timeout: withinMs, interval: everyMs });
