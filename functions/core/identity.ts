import { createHash } from 'node:crypto';
import { canonicalJson } from './json.ts';

const sha256 = (text: string): Buffer => createHash('sha256').update(text, 'utf8').digest();

/** A job's id: 32 hex digits that follow from caller, type and key alone, so a repeated submission finds its job by id. */
export const jobId = (scope: string, type: string, key: string): string =>
  sha256(canonicalJson([scope, type, key]))
    .subarray(0, 16)
    .toString('hex');

/** Nothing of another form is ever a job's id; DynamoDB even refuses keys above 2,048 bytes as a mistake of ours. */
export const isJobId = (text: string): boolean => /^[0-9a-f]{32}$/.test(text);

/** What makes two requests "the same": type, payload and options as received, before defaults. 64 hex digits. */
export const fingerprintOf = (type: string, payload: unknown, options: unknown): string =>
  sha256(canonicalJson({ type, payload, options })).toString('hex');

/** A stray's own id: it follows from the message, so that seeing the message twice makes one record. */
export const strayId = (messageId: string): string => `stray-${sha256(messageId).subarray(0, 16).toString('hex')}`;

/**
 * Three bytes that stand for a tenant in the slot registry, as 6 hex digits. Two tenants may meet in one tag (among 100
 * tenants with a chance of 1 in 3,400); they then have one share together, and never more than it.
 */
export const tenantTag = (scope: string): string => sha256(scope).subarray(0, 3).toString('hex');

/** The message group of a tenant, for SQS fair queues; tells nothing about who it is. */
export const messageGroup = (scope: string): string => sha256(scope).subarray(0, 8).toString('hex');

/** A short name for a key in log lines, where the raw key must not stand. */
export const keyDigest = (key: string): string => sha256(key).subarray(0, 6).toString('hex');

/** A claim of the caller as its scope, for stages that authorise by tokens. Undefined: not there, or of odd characters. */
export const claimScope = (claim: unknown): string | undefined =>
  typeof claim === 'string' && /^[A-Za-z0-9_.@:/+-]{1,128}$/.test(claim) ? `claim/${claim}` : undefined;

/**
 * The caller without its session: account and role or user id. `caller` is API Gateway's `identity.caller`, for a role
 * `AROA…:session`. Source: "Variables for data models and mapping templates" in the API Gateway guide.
 */
export const scopeOf = (identity: { accountId?: string | null; caller?: string | null }): string | undefined => {
  const principal = identity.caller?.split(':')[0];
  if (!principal || !identity.accountId) return undefined;
  return `${identity.accountId}/${principal}`;
};
