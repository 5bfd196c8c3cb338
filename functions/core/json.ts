import canonicalize from 'canonicalize';
import { bounds } from './limits.ts';

export type ParsedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly detail: string };

class Unfit extends Error {}

/**
 * Parses JSON (RFC 8259) and refuses what could not be stored and read back as it was meant: numbers that do not survive
 * as IEEE 754 doubles (RFC 8259, section 6, warns of them), texts with lone surrogates, nesting beyond
 * `bounds.jsonDepthMax`. Numbers compare by value: 3.0 is 3.
 */
export const parseJson = (text: string): ParsedJson => {
  try {
    const value: unknown = JSON.parse(text, checked);
    refuseDepth(value, bounds.jsonDepthMax);
    return { ok: true, value };
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, detail: error.message };
    if (error instanceof RangeError) return { ok: false, detail: tooDeep };
    return { ok: false, detail: 'the body is not JSON' };
  }
};

const tooDeep = `the body is nested deeper than ${bounds.jsonDepthMax} levels`;

/** The reviver sees the source text of each number (ECMAScript proposal "JSON.parse source text access", in Node 22+). */
function checked(this: unknown, name: string, value: unknown, context?: { source?: string }): unknown {
  if (!name.isWellFormed()) throw new Unfit('the body has a name with a lone surrogate');
  if (typeof value === 'string' && !value.isWellFormed()) throw new Unfit('the body has a text with a lone surrogate');
  if (typeof value === 'number' && !survives(value, context?.source)) {
    throw new Unfit('the body has a number that does not survive a round trip; send it as a text');
  }
  return value;
}

const survives = (value: number, source: string | undefined): boolean =>
  Number.isFinite(value) && (source === undefined || decimal(source) === decimal(String(value)));

/** A decimal literal as `digits e exponent` without leading or trailing zeros, so that 1.50e2 and 150 are one. */
const decimal = (literal: string): string => {
  const match = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal);
  if (!match) return literal;
  const [, whole = '', fraction = '', exponent = '0'] = match;
  const digits = whole + fraction;
  // By hand: /0+$/ takes quadratic time over a long run of zeros that does not reach the end.
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  let start = 0;
  while (start < end && digits[start] === '0') start += 1;
  if (start === end) return '0';
  const scale = Number(exponent) - fraction.length + (digits.length - end);
  return `${literal.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${scale}`;
};

const refuseDepth = (value: unknown, left: number): void => {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new Unfit(tooDeep);
  for (const inner of Object.values(value)) refuseDepth(inner, left - 1);
};

/** RFC 8785 canonical JSON of a value that `parseJson` accepted. */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('only JSON values have a canonical form');
  return text;
};

export const utf8Bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
