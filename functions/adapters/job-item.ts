import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { HistoryEntry, HistoryEventName, Job, JobOptions, Progress, Reason } from '#core/job.ts';
import { bounds } from '#core/limits.ts';

/** One DynamoDB item in the SDK's own form. */
export type Item = Record<string, AttributeValue>;

/**
 * The record's attributes. `state` and `type` carry the contract's words; counters at zero, marks that are off and empty
 * options are left out, so that a record with a small payload stays within one write unit (1 KB).
 */
interface Stored {
  id: string;
  state: Job['state'];
  type: string;
  key: string;
  scope: string;
  /** The fingerprint, 32 bytes. */
  fp: Uint8Array;
  payload?: string;
  /** The admitting token whose payload item holds the payload. */
  payloadOf?: Uint8Array;
  options?: JobOptions;
  submittedAt: number;
  updatedAt: number;
  sentAt: number;
  rev: number;
  tenure: number;
  attempt: number;
  attemptsMax: number;
  starts: number;
  losses?: number;
  waitedMs?: number;
  waitBudgetMs: number;
  deadlineAt?: number;
  nextAttemptAt?: number;
  redrives?: number;
  shard: number;
  token: Uint8Array;
  unsent?: true;
  resends?: number;
  returns?: number;
  cancelRequested?: true;
  stale?: true;
  progress?: Progress;
  history: StoredEntry[];
  owner?: string;
  leaseUntil?: number;
  result?: string;
  reason?: Reason;
  diedAt?: number;
  /** TTL in epoch seconds, as DynamoDB wants it; only final records have one. */
  expiresAt?: number;
  /** Index keys. */
  tenantBucket: string;
  recentBucket: string;
  deadBucket?: string;
  reasonCode?: string;
}

interface StoredEntry {
  at: number;
  ev: HistoryEventName;
  n?: number;
  d?: Readonly<Record<string, string | number | boolean>>;
}

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Spreads a hot index partition: the bucket follows from the id. */
const bucketOf = (id: string, buckets: number): number => Number.parseInt(id.slice(-4), 16) % buckets;

export const deadBucketNames = Array.from({ length: bounds.deadBuckets }, (_, i) => `dead#${i}`);
export const deadBucket = (id: string): string => `dead#${bucketOf(id, bounds.deadBuckets)}`;
export const tenantBucketNames = (scope: string) =>
  Array.from({ length: bounds.tenantBuckets }, (_, i) => `${scope}#${i}`);
const tenantBucket = (scope: string, id: string): string => `${scope}#${bucketOf(id, bounds.tenantBuckets)}`;
export const recentBucketNames = Array.from({ length: bounds.recentBuckets }, (_, i) => `jobs#${i}`);
const recentBucket = (id: string): string => `jobs#${bucketOf(id, bounds.recentBuckets)}`;

const storedEntry = (entry: HistoryEntry): StoredEntry => ({
  at: entry.at,
  ev: entry.event,
  ...(entry.attempt !== undefined && { n: entry.attempt }),
  ...(entry.detail !== undefined && { d: entry.detail }),
});

const marshalled = (value: object): Item => marshall(value, { removeUndefinedValues: true }) as Item;

/** History entries as the list value that `list_append` takes. */
export const historyValue = (entries: readonly HistoryEntry[]): AttributeValue => ({
  L: entries.map((entry) => ({ M: marshalled(storedEntry(entry)) })),
});

/** The whole record as an item. */
export const toItem = (job: Job): Item =>
  marshalled({
    id: job.id,
    state: job.state,
    type: job.type,
    key: job.key,
    scope: job.scope,
    fp: hex(job.fingerprint),
    ...('inline' in job.payload ? { payload: job.payload.inline } : { payloadOf: hex(job.payload.item) }),
    ...(Object.values(job.options).some((v) => v !== undefined) && { options: job.options }),
    submittedAt: job.submittedAt,
    updatedAt: job.updatedAt,
    sentAt: job.sentAt,
    rev: job.rev,
    tenure: job.tenure,
    attempt: job.attempt,
    attemptsMax: job.attemptsMax,
    starts: job.starts,
    losses: job.losses || undefined,
    waitedMs: job.waitedMs || undefined,
    waitBudgetMs: job.waitBudgetMs,
    deadlineAt: job.deadlineAt,
    redrives: job.redrives || undefined,
    shard: job.slot.shard,
    token: hex(job.slot.token),
    unsent: job.unsent,
    resends: job.resends || undefined,
    returns: job.returns || undefined,
    cancelRequested: job.cancelRequested,
    stale: job.stale,
    progress: job.progress,
    history: job.history.map(storedEntry),
    tenantBucket: tenantBucket(job.scope, job.id),
    recentBucket: recentBucket(job.id),
    ...ofState(job),
  } satisfies { [K in keyof Stored]?: Stored[K] | undefined });

const ofState = (job: Job): { [K in keyof Stored]?: Stored[K] | undefined } => {
  switch (job.state) {
    case 'queued':
    case 'retrying':
      return { nextAttemptAt: job.nextAttemptAt };
    case 'running':
      return { owner: job.owner, leaseUntil: job.leaseUntil };
    case 'succeeded':
      return { result: job.result, expiresAt: ttl(job.expiresAt) };
    case 'dead':
      return { reason: job.reason, reasonCode: job.reason.code, diedAt: job.diedAt, deadBucket: deadBucket(job.id) };
    default:
      return { reason: job.reason, expiresAt: ttl(job.expiresAt) };
  }
};

const ttl = (ms: number): number => Math.ceil(ms / 1000);

/** Reads a record that `toItem` wrote, or a later one with attributes that this release does not know. */
export const fromItem = (item: Item): Job => {
  const s = unmarshall(item) as Stored;
  const base = {
    id: s.id,
    type: s.type,
    key: s.key,
    scope: s.scope,
    fingerprint: text(s.fp),
    payload: s.payloadOf === undefined ? { inline: s.payload ?? 'null' } : { item: text(s.payloadOf) },
    options: s.options ?? {},
    submittedAt: s.submittedAt,
    updatedAt: s.updatedAt,
    sentAt: s.sentAt,
    rev: s.rev,
    tenure: s.tenure,
    attempt: s.attempt,
    attemptsMax: s.attemptsMax,
    starts: s.starts,
    losses: s.losses ?? 0,
    waitedMs: s.waitedMs ?? 0,
    waitBudgetMs: s.waitBudgetMs,
    deadlineAt: s.deadlineAt,
    redrives: s.redrives ?? 0,
    slot: { shard: s.shard, token: text(s.token) },
    unsent: s.unsent,
    resends: s.resends ?? 0,
    returns: s.returns ?? 0,
    cancelRequested: s.cancelRequested,
    stale: s.stale,
    progress: s.progress,
    history: s.history.map((e) => ({
      at: e.at,
      event: e.ev,
      ...(e.n !== undefined && { attempt: e.n }),
      ...(e.d !== undefined && { detail: e.d }),
    })),
  };
  const expiresAt = (s.expiresAt ?? 0) * 1000;
  switch (s.state) {
    case 'queued':
      return { ...base, state: s.state, nextAttemptAt: s.nextAttemptAt };
    case 'retrying':
      return { ...base, state: s.state, nextAttemptAt: s.nextAttemptAt ?? 0 };
    case 'running':
      return { ...base, state: s.state, owner: s.owner ?? '', leaseUntil: s.leaseUntil ?? 0 };
    case 'succeeded':
      return { ...base, state: s.state, result: s.result ?? 'null', expiresAt };
    case 'dead':
      return { ...base, state: s.state, reason: s.reason ?? unknownReason, diedAt: s.diedAt ?? s.updatedAt };
    case 'cancelled':
    case 'expired':
    case 'discarded':
      return { ...base, state: s.state, reason: s.reason, expiresAt };
  }
};

const unknownReason: Reason = { code: 'permanent-error', message: '' };
