/**
 * A deep copy as a store would give it back: nothing is shared with the original, and members that are undefined are
 * gone, since a DynamoDB item has no attribute for them. Without that a double would hide code that asks `'x' in job`.
 */
export const copyOf = <T>(value: T): T => copied(value) as T;

const copied = (value: unknown): unknown => {
  // What cannot be changed needs no copy, and structuredClone is slow even for a text.
  if (value === null || value === undefined || immutable.has(typeof value)) return value;
  if (Array.isArray(value)) return value.map(copied);
  if (!isPlain(value)) return structuredClone(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, copied(inner)]),
  );
};

const immutable: ReadonlySet<string> = new Set(['string', 'number', 'boolean', 'bigint']);

const isPlain = (value: unknown): value is Record<string, unknown> => {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
