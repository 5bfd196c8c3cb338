import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatMessage, parseMessage } from '#core/message.ts';

/**
 * Written by hand, and never again: messages wait in a queue for four days and in the dead-letter queue for fourteen, so a
 * release reads what the one before it wrote. The next version gets a file of its own beside this one.
 */
const fixture = readFileSync(new URL('../fixtures/message-v1.json', import.meta.url), 'utf8');

describe('messages of versions N and N-1', () => {
  const read = {
    ok: true,
    message: {
      v: 1,
      id: '3f9c2b7e15d84a06b1e2c4d59f7a8b60',
      fingerprint: 'a3f5c1d2e4b60798a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718',
      tenure: 2,
    },
  };

  it('version 1 is read, with spaces around it too', () => {
    expect(parseMessage(fixture)).toEqual(read);
    expect(parseMessage(fixture.trim())).toEqual(read);
  });

  it('version 1 with members that a later release of it may add is read as well', () => {
    expect(parseMessage(JSON.stringify({ ...JSON.parse(fixture), later: { anything: [1] } }))).toEqual(read);
  });

  it('what is written now is version 1, byte for byte', () => {
    expect(formatMessage(read.message)).toBe(fixture.trim());
  });

  it('every version that may be waiting has a fixture that is read: what is written now, and the one before', () => {
    const job = { id: '0'.repeat(32), fingerprint: '0'.repeat(64), tenure: 0 };
    const { v: written }: { v: number } = JSON.parse(formatMessage(job));
    for (const version of [written - 1, written].filter((one) => one >= 1)) {
      const kept = readFileSync(new URL(`../fixtures/message-v${version}.json`, import.meta.url), 'utf8');
      expect({ version, v: JSON.parse(kept).v, ok: parseMessage(kept).ok }).toEqual({ version, v: version, ok: true });
    }
  });

  it('the version after the next is named, not guessed at', () => {
    const newer = JSON.stringify({ ...JSON.parse(fixture), v: 2 });
    expect(parseMessage(newer)).toEqual({ ok: false, reason: 'unknown-version' });
  });
});
