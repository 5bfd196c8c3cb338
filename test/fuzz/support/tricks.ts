import * as fc from 'fast-check';
import type { WireRequest } from './exchange.ts';
import { type Facts, forgedFor, walks } from './facts.ts';
import { oddText } from './odd.ts';

/* Requests by hand: what no grammar of ours would make. */

const good = '{"type":"ledger.credit","payload":{"account":"fuzz","amount":1}}';
const json = ['content-type', 'application/json'] as const;

const latin1 = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\xa0-\xff]/g, '?');

/** Headers beside a good request: twice, very long, of other letters, of odd names, or such as a proxy would add. */
const headerTricks = (facts: Facts): fc.Arbitrary<WireRequest> => {
  const names = [
    ...[
      'idempotency-key',
      'content-type',
      'Idempotency-Key',
      'host',
      'authorization',
      'x-amz-date',
      'accept',
      'cookie',
    ],
    ...[
      'x-forwarded-for',
      'x-forwarded-proto',
      'x-forwarded-host',
      'x-http-method-override',
      'x-original-url',
      'range',
    ],
    ...[
      'content-encoding',
      'content-md5',
      'if-none-match',
      'origin',
      'referer',
      '__proto__',
      'constructor',
      "x!#$%&'*+",
    ],
  ];
  const values = fc.oneof(
    oddText.map(latin1),
    fc.constantFrom('', ' ', '"', '"a"', 'a, b', '\xe9\xff', 'x'.repeat(3_000), 'application/json; charset=utf-16'),
    fc.constantFrom('APPLICATION/JSON', 'application/json;charset=utf-8', 'application/json, text/html', '*/*', '0'),
    fc.constantFrom('https://evil.example', '/operator/status', 'DELETE', 'gzip', 'bytes=0-1', ...facts.keys),
  );
  const header = fc.tuple(fc.constantFrom(...names), values);
  return fc
    .tuple(fc.array(header, { minLength: 1, maxLength: 4 }), fc.constantFrom(...facts.keys, 'fresh'), fc.boolean())
    .map(([headers, key, first]) => {
      const own = [json, ['idempotency-key', key] as const];
      return {
        method: 'POST',
        path: '/jobs',
        headers: first ? [...headers, ...own] : [...own, ...headers],
        body: good,
      };
    });
};

const pathTricks = (facts: Facts): fc.Arbitrary<WireRequest> => {
  const segment = fc.oneof(
    fc.constantFrom(
      'jobs',
      'operator',
      'status',
      'dead',
      'redrive',
      'batch',
      'cancel',
      'capacity',
      'v1',
      '',
      ...facts.ids,
    ),
    fc.constantFrom(
      '.',
      '..',
      '%2e',
      '%2e%2e',
      '%2f',
      '%2F..',
      '%5c',
      '\\',
      '%00',
      '%0a',
      '%0d%0aX:%20y',
      '%',
      '%zz',
      '%c0%af',
    ),
    fc.constantFrom(
      ';a=b',
      '*',
      '{id}',
      '{proxy+}',
      ':id',
      '%7bid%7d',
      'Jobs',
      'JOBS',
      'jobs.json',
      '%ff',
      '~',
      "'",
      '@',
      '$',
    ),
    fc.constantFrom(
      'a'.repeat(3_000),
      '%41'.repeat(1_000),
      '%25%32%65',
      '__proto__',
      'constructor',
      '%E2%80%AE',
      '%F0%9F%98%80',
    ),
    oddText.map((text) => encodeURIComponent(text.slice(0, 300))),
  );
  return fc
    .record({
      method: fc.constantFrom('GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE', 'PROPFIND'),
      segments: fc.array(segment, { maxLength: 5 }),
      end: fc.constantFrom('', '', '/', '//', '?', '#a', '?a', '/.'),
      body: fc.constantFrom(undefined, good, '{}', ''),
    })
    .map(({ method, segments, end, body }) => ({
      method,
      path: `/${segments.join('/')}${end}`,
      headers: [json, ['idempotency-key', 'path']] as const,
      body: method === 'TRACE' ? undefined : body,
    }));
};

/** Bytes that are no text, and sizes around every bound. */
const bodyTricks = (facts: Facts): fc.Arbitrary<WireRequest> => {
  const sized = fc
    .tuple(
      fc.constantFrom(500, 65_400, 65_536, 70_000, 262_144, 300_000, 1_100_000),
      fc.constantFrom('x', '\u00e9', '"'),
    )
    .map(([size, letter]) => `{"type":"ledger.credit","payload":${JSON.stringify(letter.repeat(size))}}`);
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
    fc.constantFrom(
      Buffer.from(good, 'utf16le'),
      Buffer.from([0xc0, 0xaf]),
      Buffer.alloc(70_000),
      Buffer.from([0xef, 0xbb, 0xbf]),
    ),
    fc.tuple(fc.nat(good.length - 1), fc.nat(255)).map(([at, byte]) => {
      const damaged = Buffer.from(good);
      damaged[at] = byte;
      return damaged;
    }),
  );
  return fc
    .record({
      body: fc.oneof<fc.Arbitrary<string | Buffer>[]>(sized, bytes),
      path: fc.constantFrom(
        '/jobs',
        '/jobs',
        '/jobs/batch',
        '/operator/capacity',
        '/operator/dead/discard',
        `/jobs/${facts.ids[2]}/cancel`,
      ),
      type: fc.constantFrom(
        'application/json',
        'application/json; charset=utf-8',
        'text/plain',
        'multipart/form-data',
        '',
      ),
    })
    .map(({ body, path, type }) => ({
      method: 'POST',
      path,
      headers: [
        ['content-type', type],
        ['idempotency-key', 'body'],
      ] as const,
      body,
    }));
};

/** A cursor with a right digest and a made-up place, with the one query that it fits. */
const cursorTricks = (facts: Facts): fc.Arbitrary<WireRequest> =>
  fc.oneof(
    ...walks(facts.tenants.at(-1) ?? '').map((walk) =>
      forgedFor(walk).map(
        (cursor): WireRequest =>
          walk.body
            ? { method: 'POST', path: walk.path, headers: [json], body: JSON.stringify({ ...walk.body, cursor }) }
            : { method: 'GET', path: `${walk.path}?cursor=${cursor}`, headers: [] },
      ),
    ),
  );

export const trickRequest = (facts: Facts): fc.Arbitrary<WireRequest> =>
  fc.oneof(headerTricks(facts), pathTricks(facts), bodyTricks(facts), cursorTricks(facts));
