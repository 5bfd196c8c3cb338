import { InvalidArgumentError } from 'commander';
import { UsageError } from '../exit.ts';

/** Reads a whole number within bounds; commander prints its error with the name of the option. */
export const whole =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d{1,9}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time: `2h` (that long ago; s, m, h, d), or ISO 8601 with a zone. Results in ISO 8601. */
export const time =
  (now: () => number) =>
  (text: string): string => {
    const [, amount, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
    if (amount !== undefined) return new Date(now() - Number(amount) * (unitMs[unit] ?? 0)).toISOString();
    const parsed = /T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isFinite(parsed)) return new Date(parsed).toISOString();
    throw new InvalidArgumentError(
      'Give how long ago (30m, 2h, 7d) or an ISO time with its zone (2026-01-31T12:00:00Z).',
    );
  };

export const oneOf =
  (values: readonly string[]) =>
  (text: string): string => {
    if (values.includes(text)) return text;
    throw new InvalidArgumentError(`Give one of ${values.join(', ')}.`);
  };

const jobId = /^[0-9a-f]{32}$/;

/** Ids become parts of paths, so nothing else goes through. */
export const checkIds = (ids: readonly string[], kind: 'jobs' | 'dead'): void => {
  const odd = ids.find((id) => !jobId.test(kind === 'dead' ? id.replace(/^stray-/, '') : id));
  if (odd === undefined) return;
  throw new UsageError(
    `Not an id: ${odd}. An id is 32 hex digits${kind === 'dead' ? ', that of a stray begins with stray-' : ''}.`,
  );
};

/** A query string of what is defined, with its question mark. */
export const query = (parts: Readonly<Record<string, string | number | undefined>>): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parts)) if (value !== undefined) search.set(name, String(value));
  return search.size === 0 ? '' : `?${search}`;
};
