import * as fc from 'fast-check';

/*
 * Texts that stand where a good value should. They are JSON text and not values, since much of what is hostile does not
 * survive JSON.stringify: a name given twice, a number of five thousand digits.
 */

const nested = (open: string, close: string, levels: number): string =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const names = (count: number, name: (n: number) => string): string =>
  `{${Array.from({ length: count }, (_, n) => `${JSON.stringify(name(n))}:${n}`).join()}}`;

/** One text in two forms that Unicode holds to be the same: nothing here may treat them as one, or as none. */
const twins = ['\u00e9', 'e\u0301', '\ufb01', 'fi', '\u212b', '\u00c5', '\u0130', '\uff41', '\u03c9', '\u2126'];

const oddStrings = [
  ...['', ' ', '\u0000', '\n', '\r\nx: y', '\u001b[2J', '\u202e', '\u2028', '\ufeff', '\ud83d\ude00', ...twins],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../../etc/passwd', '{{7*7}}'],
  ...['<script>alert(1)</script>', "' OR 1=1 --", '$ne', '#a = :b', 'slots#0', 'control', 'reconciler', 'payload#x'],
  ...['9'.repeat(400), 'x'.repeat(257), 'x'.repeat(70_000), 'stray-', 'a'.repeat(32), '0'.repeat(32)],
  ...['2026-02-30T00:00:00Z', '0000-01-01T00:00:00Z', '+275760-09-13T00:00:00.001Z', '2026-01-01T00:00:00+99:99'],
];

const oddNumbers = [
  ...['0', '-0', '-1', '1.0', '1e0', '0.1', '1e-7', '-1e-400', '1e400', '1E+2', '9007199254740991', '9007199254740993'],
  ...['1.7976931348623157e308', '1.0000000000000001', '100000', '100001', `1${'0'.repeat(400)}`, '3.0', '2147483648'],
  ...[`1.${'0'.repeat(5_000)}1`, `1e${'9'.repeat(50)}`, '5e-324', '18446744073709551616'],
];

const oddShapes = [
  ...['null', 'true', 'false', '[]', '{}', '[null]', '[[]]', '{"":null}', '{"a":1,"a":2}', '[1,"1",1.0]'],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}', '{"toJSON":1}', '{"then":1}', '{"length":-1}'],
  ...['{"e\u0301":1,"\u00e9":2}', '{"S":"a"}', '{"N":"1"}', '{"$ref":"#"}'],
  ...[nested('[', ']', 30), nested('{"a":', '}', 101), nested('[', ']', 50_000)],
  ...[names(2_000, (n) => `n${n}`), names(300, (n) => 'e'.repeat(n)), `[${'0,'.repeat(5_000)}0]`],
];

/** Not JSON at all. */
const broken = [
  '',
  '{',
  '[1,]',
  '{"a"}',
  "{'a':1}",
  'NaN',
  '01',
  '"\\x"',
  '"\n"',
  '\ufeff{}',
  '{}{}',
  '\u0000',
  '"\\ud800"',
];

export const oddText = fc.constantFrom(...oddStrings);
export const oddJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: oddText.map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.constantFrom(...oddNumbers) },
  { weight: 4, arbitrary: fc.constantFrom(...oddShapes) },
  { weight: 1, arbitrary: fc.constantFrom(...broken) },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify(text)) },
);
