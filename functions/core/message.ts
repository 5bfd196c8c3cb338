import type { StrayReason } from './job.ts';

/** All that a queue message carries: the record is the truth, so a duplicate or a forged message does no harm. */
export interface Message {
  readonly v: 1;
  readonly id: string;
  readonly fingerprint: string;
  readonly tenure: number;
}

export const formatMessage = (job: { id: string; fingerprint: string; tenure: number }): string =>
  JSON.stringify({ v: 1, id: job.id, fingerprint: job.fingerprint, tenure: job.tenure } satisfies Message);

export type ParsedMessage =
  | { readonly ok: true; readonly message: Message }
  | { readonly ok: false; readonly reason: Extract<StrayReason, 'unreadable' | 'unknown-version'> };

const idPattern = /^[0-9a-f]{32}$/;
const fingerprintPattern = /^[0-9a-f]{64}$/;
/** Ours are about 140 characters; what is longer is not ours, and is not even parsed. */
const bodyCharsMax = 1_024;

/** Reads a message body. Version first, so that a newer release's message is named as such and not called garbage. */
export const parseMessage = (body: string): ParsedMessage => {
  if (body.length > bodyCharsMax) return { ok: false, reason: 'unreadable' };
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return { ok: false, reason: 'unreadable' };
  }
  if (typeof value !== 'object' || value === null || !('v' in value)) return { ok: false, reason: 'unreadable' };
  const { v, id, fingerprint, tenure } = value as Record<string, unknown>;
  if (typeof v !== 'number') return { ok: false, reason: 'unreadable' };
  if (v !== 1) return { ok: false, reason: 'unknown-version' };
  if (typeof id !== 'string' || !idPattern.test(id)) return { ok: false, reason: 'unreadable' };
  if (typeof fingerprint !== 'string' || !fingerprintPattern.test(fingerprint))
    return { ok: false, reason: 'unreadable' };
  if (typeof tenure !== 'number' || !Number.isSafeInteger(tenure) || tenure < 0)
    return { ok: false, reason: 'unreadable' };
  return { ok: true, message: { v: 1, id, fingerprint, tenure } };
};
