import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatMessage, parseMessage } from '#core/message.ts';

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
const anyMessage = fc.record({ id: hex(32), fingerprint: hex(64), tenure: fc.nat() });
const good = { v: 1, id: 'a'.repeat(32), fingerprint: 'b'.repeat(64), tenure: 0 };
const read = (value: unknown) => {
  const parsed = parseMessage(typeof value === 'string' ? value : JSON.stringify(value));
  return parsed.ok ? parsed.message : parsed.reason;
};

describe('a message', () => {
  it('comes back as it was written, and carries nothing else', () => {
    fc.assert(
      fc.property(anyMessage, (message) => {
        const body = formatMessage({ ...message, payload: 'secret' } as typeof message);
        expect(parseMessage(body)).toEqual({ ok: true, message: { v: 1, ...message } });
        expect(Object.keys(JSON.parse(body))).toEqual(['v', 'id', 'fingerprint', 'tenure']);
      }),
    );
  });

  it.each<[string, unknown, string]>([
    ['empty', '', 'unreadable'],
    ['not JSON', '{', 'unreadable'],
    ['a list', [], 'unreadable'],
    ['null', null, 'unreadable'],
    ['a number', 1, 'unreadable'],
    ['no version', { ...good, v: undefined }, 'unreadable'],
    ['a version that is a text', { ...good, v: '1' }, 'unreadable'],
    ['the next version', { v: 2, anything: true }, 'unknown-version'],
    ['version 0', { ...good, v: 0 }, 'unknown-version'],
    ['no id', { ...good, id: undefined }, 'unreadable'],
    ['an id in capitals', { ...good, id: 'A'.repeat(32) }, 'unreadable'],
    ['an id too short', { ...good, id: 'a'.repeat(31) }, 'unreadable'],
    ['an id with a line break', { ...good, id: `${'a'.repeat(32)}\n` }, 'unreadable'],
    ['an id in a list', { ...good, id: ['a'.repeat(32)] }, 'unreadable'],
    ['a fingerprint too long', { ...good, fingerprint: 'b'.repeat(65) }, 'unreadable'],
    ['no fingerprint', { ...good, fingerprint: undefined }, 'unreadable'],
    ['no tenure', { ...good, tenure: undefined }, 'unreadable'],
    ['a negative tenure', { ...good, tenure: -1 }, 'unreadable'],
    ['half a tenure', { ...good, tenure: 0.5 }, 'unreadable'],
    ['a tenure as a text', { ...good, tenure: '0' }, 'unreadable'],
    ['a tenure that no number holds', { ...good, tenure: 2 ** 53 }, 'unreadable'],
    ['__proto__ only', '{"__proto__":{"v":1}}', 'unreadable'],
  ])('case 13 %s is named, not thrown', (_, value, reason) => {
    expect(read(value)).toBe(reason);
  });

  it('longer than any of ours is not read', () => {
    const padded = (length: number) => JSON.stringify(good).padEnd(length);
    expect(read(padded(1_024))).toEqual(good);
    expect(read(padded(1_025))).toBe('unreadable');
  });

  it('case 13 never throws, whatever comes', () => {
    const members = fc.record(
      { v: fc.anything(), id: fc.anything(), fingerprint: fc.anything(), tenure: fc.anything() },
      { requiredKeys: [] },
    );
    const damaged = fc.tuple(anyMessage, fc.nat(), fc.string()).map(([m, at, s]) => {
      const body = formatMessage(m);
      const cut = at % body.length;
      return body.slice(0, cut) + s + body.slice(cut + 1);
    });
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      damaged,
      members.map((m) => fc.stringify(m)),
    );
    fc.assert(
      fc.property(text, (body) => {
        const parsed = parseMessage(body);
        if (parsed.ok) expect(parseMessage(formatMessage(parsed.message))).toEqual(parsed);
        else expect(['unreadable', 'unknown-version']).toContain(parsed.reason);
      }),
      { numRuns: 1_000 },
    );
  });
});
