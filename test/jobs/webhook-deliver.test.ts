import { describe, expect, it } from 'vitest';
import { responseBytesMax } from '#functions/jobs/webhook/post.ts';
import { deliver, jobId, localSettings, settings } from '#test/support/webhook/delivery.ts';
import { startReceiver } from '#test/support/webhook/receiver.ts';

const permanent = { retryable: false, result: undefined };

describe('a delivery', () => {
  it('is one POST of the body as JSON with the job id as key, and its result is the status', async () => {
    const receiver = await startReceiver((_, response) => response.writeHead(201).end('created'));
    const body = { order: 7, note: 'ü', list: [1, null, true] };
    const delivered = await deliver({ url: `${receiver.origin}/hooks/a%20b?x=1&y=2`, body });
    expect(delivered).toMatchObject({ result: { status: 201 }, error: undefined });
    expect(receiver.received).toEqual([
      {
        path: '/hooks/a%20b?x=1&y=2',
        body: JSON.stringify(body),
        headers: {
          host: `127.0.0.1:${receiver.port}`,
          connection: 'close',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(JSON.stringify(body))),
          'idempotency-key': jobId,
          'user-agent': 'sluice',
        },
      },
    ]);
  });

  it('G3 outside: called twice, a receiver that knows the key has one effect', async () => {
    const receiver = await startReceiver();
    for (let n = 0; n < 2; n += 1) {
      expect(await deliver({ url: receiver.origin, body: { credit: 5 } })).toMatchObject({ result: { status: 200 } });
    }
    expect(receiver.received).toHaveLength(2);
    expect([...receiver.effects]).toEqual([[jobId, { credit: 5 }]]);
  });

  it.each([null, 0, '', [], 'text'])('takes any JSON value as body: %j', async (body) => {
    const receiver = await startReceiver();
    await deliver({ url: receiver.origin, body });
    expect(receiver.received.map((call) => JSON.parse(call.body))).toEqual([body]);
  });

  it('adds the headers that are allowed, in any case', async () => {
    const receiver = await startReceiver();
    const headers = { 'X-Request-Id': 'r-1', traceparent: '00-ab-cd-01', 'x-event-type': 'order paid' };
    await deliver({ url: receiver.origin, body: 1, headers });
    expect(receiver.received[0]?.headers).toMatchObject({
      'x-request-id': 'r-1',
      traceparent: '00-ab-cd-01',
      'x-event-type': 'order paid',
      'content-type': 'application/json',
    });
  });

  it('looks for a cancel just before it is sent, and is then not sent', async () => {
    const receiver = await startReceiver();
    const checkpoint = async () => {
      expect(receiver.received).toEqual([]);
      throw new Error('a cancel was requested');
    };
    const { error } = await deliver({ url: receiver.origin, body: 1 }, localSettings(), {}, { checkpoint });
    expect(error?.message).toBe('a cancel was requested');
    expect(receiver.received).toEqual([]);
  });
});

describe('what the receiver answers', () => {
  it.each([200, 202, 204, 299])('%i is success', async (status) => {
    const receiver = await startReceiver((_, response) => response.writeHead(status).end());
    expect(await deliver({ url: receiver.origin, body: 1 })).toMatchObject({ result: { status }, error: undefined });
  });

  it.each([400, 401, 403, 404, 405, 410, 413, 422, 499])('%i is permanent', async (status) => {
    const receiver = await startReceiver((_, response) => response.writeHead(status, { 'retry-after': '5' }).end('no'));
    const delivered = await deliver({ url: receiver.origin, body: 1 });
    expect(delivered).toMatchObject({ ...permanent, error: { message: `the receiver answered ${status}` } });
  });

  it.each([408, 409, 425, 429, 500, 502, 503, 504, 599])('%i is tried again', async (status) => {
    const receiver = await startReceiver((_, response) => response.writeHead(status).end('later'));
    const delivered = await deliver({ url: receiver.origin, body: 1 });
    expect(delivered).toMatchObject({ retryable: true, error: { message: `the receiver answered ${status}` } });
    expect(delivered.error?.afterSeconds).toBeUndefined();
  });

  it.each([
    ['12', 12],
    ['Mon, 05 Jan 2026 12:00:30 GMT', 30],
    ['soon', undefined],
  ])('Retry-After: %s asks for %s s', async (header, afterSeconds) => {
    const receiver = await startReceiver((_, response) => response.writeHead(503, { 'retry-after': header }).end());
    const world = { now: () => Date.UTC(2026, 0, 5, 12) };
    const delivered = await deliver({ url: receiver.origin, body: 1 }, localSettings(), world);
    expect(delivered.retryable).toBe(true);
    expect(delivered.error?.afterSeconds).toBe(afterSeconds);
  });

  it.each([300, 301, 302, 303, 304, 307, 308])('%i is permanent, and the redirect is not followed', async (status) => {
    const other = await startReceiver();
    const receiver = await startReceiver((_, response) =>
      response.writeHead(status, { location: `${other.origin}/elsewhere` }).end(),
    );
    const delivered = await deliver({ url: receiver.origin, body: 1 });
    expect(delivered).toMatchObject({ ...permanent, error: { name: 'DeliveryRefused' } });
    expect(delivered.error?.message).toBe(`the receiver answered ${status}; redirects are not followed`);
    expect(other.received).toEqual([]);
  });

  it('a body beyond the bound is not read on; the status counts', async () => {
    let sent = 0;
    const receiver = await startReceiver((_, response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        if (response.destroyed || sent > 1_000 * chunk.length) return;
        sent += chunk.length;
        if (response.write(chunk)) setImmediate(more);
        else response.once('drain', more);
      };
      more();
    });
    expect(await deliver({ url: receiver.origin, body: 1 })).toMatchObject({ result: { status: 200 } });
    // What lies in the sockets' buffers on both sides comes on top of the bound.
    expect(sent).toBeLessThan(responseBytesMax + 16 * 1_048_576);
  });

  it('headers beyond the bound are no answer', async () => {
    const receiver = await startReceiver((_, response) =>
      response.writeHead(200, { 'x-big': 'x'.repeat(20_000) }).end(),
    );
    const delivered = await deliver({ url: receiver.origin, body: 1 });
    expect(delivered).toMatchObject({ retryable: true, error: { message: /HPE_HEADER_OVERFLOW/ } });
  });

  it('a switch of protocols is no answer', async () => {
    const receiver = await startReceiver((_, response) =>
      response.socket?.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    expect(await deliver({ url: receiver.origin, body: 1 })).toMatchObject({ retryable: true });
  });
});

describe('time', () => {
  const silent = () => undefined;
  const world = { answerMs: 100 };

  it('no answer in time is tried again', async () => {
    const receiver = await startReceiver(silent);
    const delivered = await deliver({ url: receiver.origin, body: 1 }, localSettings(), world);
    expect(delivered).toMatchObject({ retryable: true });
    expect(delivered.error?.message).toMatch(/^the receiver gave no answer \(/);
  });

  it('a body that never ends is waited for no longer; the status counts', async () => {
    const receiver = await startReceiver((_, response) => {
      response.writeHead(200).write('slow');
    });
    const delivered = await deliver({ url: receiver.origin, body: 1 }, localSettings(), world);
    expect(delivered).toMatchObject({ result: { status: 200 } });
  });

  it('a resolver that does not answer is waited for no longer', async () => {
    const lookup = () => new Promise<never>(silent);
    const url = 'https://slow.example/';
    const delivered = await deliver({ url, body: 1 }, settings({ hosts: ['slow.example'] }), { ...world, lookup });
    expect(delivered).toMatchObject({ retryable: true });
    expect(delivered.error?.message).toMatch(/^the name of the host could not be resolved \(/);
  });

  it('the job’s own signal ends it', async () => {
    const stop = new AbortController();
    const receiver = await startReceiver(() => stop.abort());
    const delivered = await deliver({ url: receiver.origin, body: 1 }, localSettings(), {}, { signal: stop.signal });
    expect(delivered).toMatchObject({ retryable: true });
    const again = await deliver({ url: receiver.origin, body: 1 }, localSettings(), {}, { signal: stop.signal });
    expect(again).toMatchObject({ retryable: true });
    expect(receiver.received).toHaveLength(1);
  });
});

describe('the network', () => {
  it('a refused connection is tried again, and its address is not told', async () => {
    const receiver = await startReceiver((_, response) => response.socket?.destroy());
    const broken = await deliver({ url: receiver.origin, body: 1 });
    expect(broken).toMatchObject({ retryable: true, error: { message: 'the receiver gave no answer (ECONNRESET)' } });
    // Port 1 of this machine has no listener.
    const refused = await deliver({ url: 'http://127.0.0.1:1/', body: 1 });
    expect(refused).toMatchObject({
      retryable: true,
      error: { message: 'the receiver gave no answer (ECONNREFUSED)' },
    });
  });

  it('a name that does not resolve is tried again', async () => {
    const lookup = async () => {
      throw Object.assign(new Error('getaddrinfo ENOTFOUND gone.example'), { code: 'ENOTFOUND' });
    };
    const delivered = await deliver({ url: 'https://gone.example/', body: 1 }, settings({ hosts: ['gone.example'] }), {
      lookup,
    });
    expect(delivered).toMatchObject({ retryable: true });
    expect(delivered.error?.message).toBe('the name of the host could not be resolved (ENOTFOUND)');
  });
});

describe('G10 nothing of body, answer or headers comes out', () => {
  it.each([200, 400, 503])('of a delivery that is answered %i', async (status) => {
    const marker = 'MARKER-7f3a';
    const receiver = await startReceiver((_, response) =>
      response.writeHead(status, { 'x-answer': marker, 'retry-after': marker }).end(marker),
    );
    const payload = {
      url: `${receiver.origin}/${marker}`,
      body: { secret: marker },
      headers: { 'x-request-id': marker },
    };
    const { result, error, logged } = await deliver(payload);
    expect(receiver.received).toHaveLength(1);
    expect(`${JSON.stringify(result)} ${error?.stack} ${JSON.stringify(error)} ${logged}`).not.toContain(marker);
    if (status === 200) expect(logged).toBe('[["webhook delivered",{"status":200}]]');
  });
});
