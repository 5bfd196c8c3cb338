import * as z from 'zod/mini';
import type { WebhookSettings } from './settings.ts';

/**
 * Headers that a payload may add. None of them can change who is called, how the body is read, or what a proxy on the way
 * makes of the call; credentials have no place in a job's record.
 */
const headerNames = [
  'accept',
  'accept-language',
  'traceparent',
  'tracestate',
  'x-correlation-id',
  'x-event-type',
  'x-request-id',
];
const headerValueChars = 256;
const urlChars = 2_048;

const url = z.string('must be a URL').check(
  z.maxLength(urlChars, `must have at most ${urlChars} characters`),
  z.refine((text) => isHttp(text), 'must be an absolute https URL without user, password and fragment'),
);

const headerName = z.string().check(z.refine((name) => headerNames.includes(name.toLowerCase())));
const headerValue = z
  .string('must be a text')
  .check(
    z.regex(
      new RegExp(`^[\\x21-\\x7e](?:[\\x20-\\x7e]{0,${headerValueChars - 2}}[\\x21-\\x7e])?$`),
      `must be 1 to ${headerValueChars} printable ASCII characters`,
    ),
  );
const headers = z
  .record(headerName, headerValue, {
    error: ({ code }) =>
      code === 'invalid_key'
        ? `is no header that may be set; these may: ${headerNames.join(', ')}`
        : 'must be an object of texts',
  })
  .check(z.refine((all) => new Set(Object.keys(all).map(lower)).size === Object.keys(all).length, 'has a name twice'));

/** What a submission must bring: where to, and any JSON value to send there. */
export const deliveryPayload = z
  .strictObject({ url, body: z.optional(z.unknown()), headers: z.optional(headers) })
  .check(z.refine((payload) => payload.body !== undefined, { path: ['body'], error: 'is missing; it may be null' }));

const lower = (name: string): string => name.toLowerCase();

/** `http` passes here, since only the consumer knows whether its stage allows it. */
const isHttp = (text: string): boolean => {
  const parsed = URL.parse(text);
  if (parsed === null || !/^https?:\/\//i.test(text)) return false;
  return parsed.username === '' && parsed.password === '' && !text.includes('#');
};

/** Why this stage does not deliver to that URL; undefined: it does, if the address is right too. */
export const refusalOf = (target: URL, settings: WebhookSettings): string | undefined => {
  if (target.protocol !== 'https:' && !(target.protocol === 'http:' && settings.allowHttp)) {
    return 'only https is allowed';
  }
  if (settings.hosts.some((entry) => covers(entry, target))) return undefined;
  return `the host ${target.host} is not on the list of hosts that this deployment delivers to`;
};

const covers = (entry: string, target: URL): boolean => {
  const [, host, port] = /^(.*?)(?::(\d+|\*))?$/.exec(entry) ?? [];
  if (host !== target.hostname) return false;
  const own = target.protocol === 'https:' ? '443' : '80';
  return port === '*' || Number(port ?? own) === Number(target.port || own);
};
