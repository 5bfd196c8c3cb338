import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonLines, plain, plainJson } from '../../operator/cli/render/plain.ts';

const harmful = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const hostileText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('\u001b', '[2J', '\u009b', '\r', '\n', '\u202e', '\u2028', '\u0007', 'a', '\\', '"'),
  }),
);

describe('texts from outside', () => {
  test('never keep a control or format character', () => {
    fc.assert(fc.property(hostileText, (text) => !harmful.test(plain(text))));
  });

  test('stay as they are when there is none in them', () => {
    expect(plain('Größe 5 µs — 注文 ✓')).toBe('Größe 5 µs — 注文 ✓');
    expect(plain(undefined)).toBe('');
  });

  test('show what was there', () => {
    expect(plain('\u001b[31mred\nline \u202edlrow')).toBe('\\u001b[31mred\\nline \\u202edlrow');
  });
});

describe('JSON from outside', () => {
  test('means the same and keeps no control character in its strings', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
        const made = plainJson(text);
        expect(JSON.parse(made)).toEqual(JSON.parse(text));
        return !harmful.test(made.replaceAll(/[\n\r\t]/g, ''));
      }),
    );
  });

  test('over several lines too', () => {
    fc.assert(fc.property(hostileText, (text) => jsonLines({ text }).every((line) => !harmful.test(line))));
  });
});
