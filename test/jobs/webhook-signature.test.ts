import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseSecret, signatureOf } from '#functions/jobs/webhook/signature.ts';
import { keptKeys, ssmSecret } from '#functions/jobs/webhook/signing-keys.ts';
import { deliver, localSettings } from '#test/support/webhook/delivery.ts';
import { type Received, startReceiver } from '#test/support/webhook/receiver.ts';

const [oldKey, newKey, otherKey] = ['old', 'new', 'other'].map((name) => `${name}-`.padEnd(40, name)) as [
  string,
  string,
  string,
];
const noon = Date.UTC(2026, 0, 5, 12);
const toleranceSeconds = 300;

/** A receiver's check, written from docs/webhooks.md and not from the sender's code. */
const verifies = ({ headers, body }: Pick<Received, 'headers' | 'body'>, key: string, nowMs = noon): boolean => {
  const parts = String(headers['sluice-signature'])
    .split(',')
    .map((part) => part.split('='));
  const time = Number(parts.find(([name]) => name === 't')?.[1]);
  if (Math.abs(nowMs / 1000 - time) > toleranceSeconds) return false;
  const wanted = createHmac('sha256', key).update(`${time}.${body}`).digest();
  return parts
    .filter(([name]) => name === 'v1')
    .map(([, hex = '']) => Buffer.from(hex, 'hex'))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted));
};

/** Delivers once with what the secret holds at the moment. */
const signed = async (secret: string) => {
  const receiver = await startReceiver();
  const keys = keptKeys(
    async () => secret,
    () => noon,
  );
  const given = localSettings({ signingParameter: '/keys' });
  const delivered = await deliver({ url: receiver.origin, body: { ü: 1 } }, given, { keys, now: () => noon });
  const [call] = receiver.received;
  if (call === undefined) throw new Error(`nothing was delivered: ${delivered.error?.message}`);
  return call;
};

describe('the signature', () => {
  it('is over time and body, and fits the key alone', async () => {
    const call = await signed(JSON.stringify({ current: oldKey }));
    expect(call.headers['sluice-signature']).toMatch(/^t=1767614400,v1=[0-9a-f]{64}$/);
    expect(verifies(call, oldKey)).toBe(true);
    expect(verifies(call, otherKey)).toBe(false);
    expect(verifies({ ...call, body: `${call.body} ` }, oldKey)).toBe(false);
    expect(verifies(call, oldKey, noon + 301_000)).toBe(false);
    const later = {
      ...call.headers,
      'sluice-signature': String(call.headers['sluice-signature']).replace('t=1767614400', 't=1767614401'),
    };
    expect(verifies({ ...call, headers: later }, oldKey)).toBe(false);
  });

  it('has a known value', () => {
    const hex = createHmac('sha256', oldKey).update('1767614400.{}').digest('hex');
    expect(signatureOf([oldKey], '{}', noon + 999)).toBe(`t=1767614400,v1=${hex}`);
  });

  it('rotates without a gap: at every step a receiver with either key that it may know is served', async () => {
    const before = await signed(JSON.stringify({ current: oldKey }));
    const during = await signed(JSON.stringify({ current: newKey, previous: oldKey }));
    const after = await signed(JSON.stringify({ current: newKey }));
    expect([before, during, after].map((call) => [verifies(call, oldKey), verifies(call, newKey)])).toEqual([
      [true, false],
      [true, true],
      [false, true],
    ]);
  });

  it('is absent where no keys are configured', async () => {
    const receiver = await startReceiver();
    await deliver({ url: receiver.origin, body: 1 });
    expect(receiver.received[0]?.headers).not.toHaveProperty('sluice-signature');
  });

  it.each([
    '',
    'x',
    '"text"',
    '{}',
    '{"current":"short"}',
    `{"previous":"${oldKey}"}`,
    `{"current":"${oldKey}","next":"x"}`,
  ])('a secret %j is not sent with: tried again, and not told', async (secret) => {
    const receiver = await startReceiver();
    const keys = keptKeys(
      async () => secret,
      () => noon,
    );
    const delivered = await deliver({ url: receiver.origin, body: 1 }, localSettings({ signingParameter: '/keys' }), {
      keys,
    });
    expect(delivered).toMatchObject({ retryable: true });
    expect(delivered.error?.message).toBe('the signing keys could not be read (SecretMalformed)');
    expect(receiver.received).toEqual([]);
  });
});

describe('keys are kept for a bounded time', () => {
  const source = () => {
    const state = { at: noon, calls: 0, secret: JSON.stringify({ current: oldKey }), broken: false };
    const keys = keptKeys(
      async () => {
        state.calls += 1;
        if (state.broken) throw Object.assign(new Error('no'), { name: 'ThrottlingException' });
        return state.secret;
      },
      () => state.at,
    );
    return { state, read: () => keys('/keys') };
  };

  it('one call serves those who ask at once, and all for five minutes', async () => {
    const { state, read } = source();
    expect(await Promise.all([read(), read(), read()])).toEqual([[oldKey], [oldKey], [oldKey]]);
    state.at += 299_999;
    await read();
    expect(state.calls).toBe(1);
    state.secret = JSON.stringify({ current: newKey, previous: oldKey });
    state.at += 1;
    expect(await read()).toEqual([newKey, oldKey]);
    expect(state.calls).toBe(2);
  });

  it('a failing look does not stop deliveries for an hour, and does then', async () => {
    const { state, read } = source();
    await read();
    state.broken = true;
    state.at += 3_599_999;
    expect(await read()).toEqual([oldKey]);
    state.at += 1;
    await expect(read()).rejects.toThrow('no');
    state.broken = false;
    expect(await read()).toEqual([oldKey]);
  });

  it('a first look that fails is made again by the next job', async () => {
    const { state, read } = source();
    state.broken = true;
    await expect(read()).rejects.toThrow('no');
    state.broken = false;
    expect(await read()).toEqual([oldKey]);
    expect(state.calls).toBe(2);
  });

  it('keeps nothing of a secret that cannot be read', () => {
    expect(() => parseSecret(`{"current":"${oldKey}`)).toThrow(/^it must be/);
    expect(() => parseSecret(`{"current":"${oldKey}`)).not.toThrow(new RegExp(oldKey));
  });
});

describe('the secret in SSM', () => {
  it('is read decrypted, by its name', async () => {
    const calls: unknown[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      calls.push([request.headers['x-amz-target'], JSON.parse(Buffer.concat(chunks).toString())]);
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' });
      response.end(JSON.stringify({ Parameter: { Name: '/keys', Value: '{"current":"x"}' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const read = ssmSecret({
      endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    });
    expect(await read('/keys')).toBe('{"current":"x"}');
    expect(calls).toEqual([['AmazonSSM.GetParameter', { Name: '/keys', WithDecryption: true }]]);
  });
});
