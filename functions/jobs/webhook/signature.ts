import { createHmac } from 'node:crypto';
import * as z from 'zod/mini';

const key = z.string().check(z.minLength(32));
const secretSchema = z.strictObject({ current: key, previous: z.optional(key) });

/** The keys that sign, the newest first. */
export type SigningKeys = readonly [string, ...string[]];

/** Its message quotes nothing of the secret. */
class SecretMalformed extends Error {
  override readonly name = 'SecretMalformed';
}

/** The secret's text: `{"current": "…", "previous": "…"}`, the previous key only during a rotation. */
export const parseSecret = (text: string): SigningKeys => {
  const parsed = secretSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    throw new SecretMalformed('it must be {"current": …, "previous": …?} with keys of at least 32 characters');
  }
  const { current, previous } = parsed.data;
  return previous === undefined ? [current] : [current, previous];
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * `t=<seconds>,v1=<hex>`: HMAC-SHA256 over `<seconds>.<body>`, one `v1` for each key. During a rotation there are two, so
 * that a receiver which knows either key finds a signature that fits, whichever of the two sides changes first.
 */
export const signatureOf = (keys: SigningKeys, body: string, nowMs: number): string => {
  const seconds = Math.floor(nowMs / 1000);
  const signed = keys.map((k) => `v1=${createHmac('sha256', k).update(`${seconds}.${body}`).digest('hex')}`);
  return [`t=${seconds}`, ...signed].join(',');
};
