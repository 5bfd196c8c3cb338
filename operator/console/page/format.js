const numbers = new Intl.NumberFormat('en');

/** @param {number} n */
export const count = (n) => numbers.format(n);

/**
 * @param {number} n
 * @param {string} one
 * @param {string} [many]
 */
export const counted = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

const odd = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text from outside on one line: control and format characters are spelled out, so that no job hides a part of itself
 * or turns the direction of writing.
 * @param {unknown} value
 */
export const plain = (value) =>
  String(value ?? '').replaceAll(odd, (found) =>
    found === '\n' ? '\\n' : `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`,
  );

/**
 * A JSON value over several lines; the ends of lines are its own layout.
 * @param {unknown} value
 */
export const jsonText = (value) => (JSON.stringify(value, null, 2) ?? 'null').split('\n').map(plain).join('\n');

/** @param {string | undefined} iso */
export const clock = (iso) => {
  const at = new Date(iso ?? '');
  return Number.isNaN(at.getTime()) ? plain(iso) : at.toLocaleTimeString('en-GB');
};

/**
 * Date and time here, to the second.
 * @param {string | undefined} iso
 */
export const moment = (iso) => {
  const at = new Date(iso ?? '');
  return Number.isNaN(at.getTime())
    ? plain(iso)
    : `${at.toLocaleDateString('en-CA')} ${at.toLocaleTimeString('en-GB')}`;
};

/** @type {readonly (readonly [string, number])[]} */
const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];

/**
 * A duration in its largest unit: `3 min`.
 * @param {number} ms
 */
export const span = (ms) => {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 1) return `${Math.round(Math.max(0, ms))} ms`;
  const [unit, size] = units.find(([, most]) => seconds >= most) ?? ['s', 1];
  const amount = seconds / size;
  return `${amount < 10 && unit === 's' ? Math.round(amount * 10) / 10 : Math.floor(amount)} ${unit}`;
};

/**
 * How long ago, or in how long.
 * @param {string | undefined} iso
 * @param {number} now
 */
export const since = (iso, now) => {
  const at = Date.parse(iso ?? '');
  if (Number.isNaN(at)) return plain(iso);
  if (Math.abs(now - at) < 1000) return 'now';
  return at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
};

/** @type {Readonly<Record<string, string>>} */
const tones = {
  open: 'good',
  running: 'busy',
  succeeded: 'good',
  retrying: 'warn',
  expired: 'warn',
  closed: 'warn',
  draining: 'warn',
  drained: 'warn',
  pausing: 'warn',
  paused: 'warn',
  resuming: 'warn',
  dead: 'bad',
};

/**
 * The class of a state; the word always stands beside the colour.
 * @param {string} state
 */
export const tone = (state) => tones[state] ?? 'calm';
