import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, parseJson, utf8Bytes } from '#core/json.ts';
import { bounds } from '#core/limits.ts';

const canonical = (text: string): string => {
  const parsed = parseJson(text);
  return parsed.ok ? canonicalJson(parsed.value) : `✗ ${parsed.detail}`;
};
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('numbers', () => {
  it.each([
    ['3.0', '3'],
    ['3.10', '3.1'],
    ['1e2', '100'],
    ['1E+2', '100'],
    ['1.50e2', '150'],
    ['100e-2', '1'],
    ['-0', '0'],
    ['-0.0', '0'],
    ['0e5', '0'],
    ['0.1', '0.1'],
    ['-2.50', '-2.5'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['1e21', '1e+21'],
    ['1000000000000000000000', '1e+21'],
    ['5e-324', '5e-324'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ])('%s is %s by value', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901',
    '1e400',
    '-1e400',
    '1e-400',
    '4.9e-324',
    '0.1000000000000000055',
    '0.30000000000000000001',
    '1.00000000000000000001',
  ])('%s does not survive a round trip, wherever it stands', (text) => {
    for (const body of [text, `[1,${text}]`, `{"a":{"b":[${text}]}}`]) {
      expect(canonical(body)).toContain('does not survive a round trip');
    }
  });

  it('every number that JavaScript writes survives', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (n) => {
        expect(parseJson(String(n))).toEqual({ ok: true, value: n === 0 ? expect.closeTo(0) : n });
      }),
      { numRuns: 2_000 },
    );
  });

  it('a literal as long as a body may be is judged at once, not in a time that grows with its square', () => {
    const from = performance.now();
    expect(parseJson(`[0.1${'0'.repeat(100_000)}1]`).ok).toBe(false);
    expect(performance.now() - from).toBeLessThan(1_000);
  });
});

describe('what is not JSON, or would not come back as it was sent', () => {
  it.each([
    ['nothing', ''],
    ['a word', 'hello'],
    ['a comma too many', '[1,]'],
    ['single quotes', "{'a':1}"],
    ['NaN', 'NaN'],
    ['two values', '1 2'],
    ['a byte order mark', '\ufeff{}'],
  ])('%s is refused', (_, text) => {
    expect(canonical(text)).toBe('✗ the body is not JSON');
  });

  it.each([
    ['a text', '{"a":"\\ud800"}', 'a text'],
    ['a raw one', `{"a":"x${'\udc00'}"}`, 'a text'],
    ['a name', '{"\\udfff":1}', 'a name'],
    ['a text in a list', '["ok",["\\ud83dx"]]', 'a text'],
  ])('%s with half a surrogate pair', (_, text, what) => {
    expect(canonical(text)).toBe(`✗ the body has ${what} with a lone surrogate`);
  });

  it('a whole pair is fine, escaped or not', () => {
    expect(canonical('["\\ud83d\\ude00"]')).toBe(canonical('["\u{1F600}"]'));
  });

  it('a depth of 100 is taken, 101 is not, and half a million do not overthrow it', () => {
    expect(bounds.jsonDepthMax).toBe(100);
    expect(parseJson(nested(100)).ok).toBe(true);
    expect(canonical(nested(101))).toBe('✗ the body is nested deeper than 100 levels');
    expect(canonical(nested(500_000))).toBe('✗ the body is nested deeper than 100 levels');
    expect(canonical(`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`)).toBe('✗ the body is nested deeper than 100 levels');
  });

  it('never throws, and what it takes has a canonical form that parses to the same', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        const parsed = parseJson(text);
        if (parsed.ok) expect(canonical(canonicalJson(parsed.value))).toBe(canonicalJson(parsed.value));
      }),
      { numRuns: 500 },
    );
  });
});

describe('members', () => {
  it('__proto__ is a member like any other and reaches no prototype', () => {
    const parsed = parseJson('{"__proto__":{"admin":true},"b":1}');
    expect(parsed.ok && Object.getPrototypeOf(parsed.value)).toBe(Object.prototype);
    expect(canonical('{"__proto__":{"admin":true},"b":1}')).toBe('{"__proto__":{"admin":true},"b":1}');
    expect((Object.prototype as { admin?: boolean }).admin).toBeUndefined();
  });

  it('of duplicate names the last one counts', () => {
    expect(canonical('{"a":1,"b":2,"a":3}')).toBe('{"a":3,"b":2}');
    expect(canonical('{"a":[1.0],"a":{"b":2.0}}')).toBe('{"a":{"b":2}}');
  });

  it('are ordered by UTF-16 code units, whatever order they came in', () => {
    expect(canonical('{"b":1,"\\u20ac":2,"a":{"d":1,"c":2},"B":3}')).toBe('{"B":3,"a":{"c":2,"d":1},"b":1,"€":2}');
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 6 }), (names) => {
        const text = (order: readonly string[]) => `{${order.map((n) => `${JSON.stringify(n)}:1`).join(',')}}`;
        expect(canonical(text(names))).toBe(canonical(text([...names].reverse())));
      }),
    );
  });

  it('only JSON has a canonical form', () => {
    expect(() => canonicalJson(undefined)).toThrow(TypeError);
  });
});

it('sizes are in UTF-8 bytes', () => {
  expect(['a', 'ä', '€', '\u{1F600}'].map(utf8Bytes)).toEqual([1, 2, 3, 4]);
});
