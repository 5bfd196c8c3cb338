import { jobOf } from '#adapters/jobs-table.ts';
import { isInFlight } from '#core/job.ts';
import { everyItem } from '#test/support/every-item.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';

const kinds: readonly (readonly [string, RegExp])[] = [
  ['record', /^[0-9a-f]{32}$/],
  ['payload', /^payload#[0-9a-f]{52}$/],
  ['shard', /^slots#\d+$/],
  ['stray', /^stray-[0-9a-f]{32}$/],
  ['control', /^control$/],
  ['reconciler', /^reconciler$/],
];

/** What a record must have to be one, whatever its state. */
const required = [
  ...[
    'state',
    'type',
    'key',
    'scope',
    'fp',
    'submittedAt',
    'updatedAt',
    'sentAt',
    'rev',
    'tenure',
    'attempt',
    'starts',
  ],
  ...['attemptsMax', 'waitBudgetMs', 'shard', 'token', 'history', 'tenantBucket', 'recentBucket'],
];

/**
 * Looks at every item once nothing is in flight any more: none of an unknown kind, no record half written, no payload
 * without its record or record without its payload, no slot taken.
 */
export const faultsInTable = async (outputs: LocalOutputs): Promise<readonly string[]> => {
  const items = await everyItem(outputs, outputs.jobsTableName);
  const faults: string[] = [];
  const payloads = new Set<string>();
  const wanted = new Set<string>();
  for (const item of items) {
    const id = item['id']?.S ?? '';
    const kind = kinds.find(([, pattern]) => pattern.test(id))?.[0];
    if (kind === undefined) faults.push(`an item of no known kind: ${id.slice(0, 100)}`);
    if (kind === 'payload') payloads.add(id);
    if (kind === 'shard' && (item['members']?.BS?.length ?? 0) > 0) faults.push(`slots are still taken in ${id}`);
    if (kind !== 'record') continue;
    const missing = required.filter((name) => item[name] === undefined);
    if (missing.length > 0) {
      faults.push(`the record ${id} lacks ${missing}`);
      continue;
    }
    const job = jobOf(item);
    if (job === undefined || isInFlight(job)) faults.push(`the record ${id} is ${job?.state}`);
    if (job !== undefined && 'item' in job.payload) wanted.add(`payload#${job.payload.item}`);
    if (item['payload'] === undefined && item['payloadOf'] === undefined)
      faults.push(`the record ${id} has no payload`);
  }
  for (const id of wanted.difference(payloads)) faults.push(`a record’s payload is missing: ${id}`);
  for (const id of payloads.difference(wanted)) faults.push(`a payload belongs to no record: ${id}`);
  return faults;
};
