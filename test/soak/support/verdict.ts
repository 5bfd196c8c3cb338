import { isInFlight, type Job } from '#core/job.ts';
import type { Kind } from './kinds.ts';

/** One job as those who asked for it know it. */
export interface Wanted {
  readonly key: string;
  readonly kind: Kind;
  readonly account: string;
  readonly amount: number;
  /** What its accepted or replayed submissions were answered with; it was accepted once there is one. */
  readonly ids: Set<string>;
  cancelAsked: boolean;
}

export interface Effect {
  readonly total: number;
  readonly writes: number;
}

/** Everything that there is once all has settled. */
export interface Rest {
  readonly wanted: readonly Wanted[];
  /** All jobs of the table, by id. */
  readonly jobs: ReadonlyMap<string, Job>;
  readonly ledger: ReadonlyMap<string, Effect>;
}

/** What must hold of the jobs of a soak once all has settled. Returns what does not, in words. */
export const brokenPromises = ({ wanted, jobs, ledger }: Rest): readonly string[] => {
  const byKey = new Map([...jobs.values()].map((job) => [job.key, job]));
  const broken = wanted.flatMap((one) => brokenOf(one, byKey.get(one.key)));
  for (const [account, own] of Map.groupBy(wanted, ({ account }) => account)) {
    const done = own.filter(({ key }) => byKey.get(key)?.state === 'succeeded');
    const expected = { total: done.reduce((sum, { amount }) => sum + amount, 0), writes: done.length };
    const found = ledger.get(account) ?? { total: 0, writes: 0 };
    if (found.total !== expected.total || found.writes !== expected.writes)
      broken.push(`G3: ${account} has ${textOf(found)}, and its succeeded jobs make ${textOf(expected)}`);
  }
  return broken;
};

const textOf = ({ total, writes }: Effect): string => `${total} in ${writes} writes`;

const brokenOf = ({ key, kind, ids, cancelAsked }: Wanted, job: Job | undefined): readonly string[] => {
  const name = `${kind.name} ${key}`;
  if (job === undefined) return ids.size === 0 ? [] : [`G2: ${name} was accepted and is not there`];
  const broken: string[] = [];
  if (ids.size > 1 || (ids.size === 1 && !ids.has(job.id))) broken.push(`G4: ${name} led to ${[...ids].join(', ')}`);
  if (isInFlight(job)) broken.push(`G6: ${name} is still ${job.state}`);
  else if (!kind.ends.includes(job.state) && !(cancelAsked && job.state === 'cancelled'))
    broken.push(`G6: ${name} is ${job.state}${job.state === 'dead' ? ` (${job.reason.code})` : ''}`);
  if (job.attempt > job.attemptsMax) broken.push(`G5: ${name} is at attempt ${job.attempt}`);
  const most = job.attemptsMax * (job.redrives + 1) + givenBack(job);
  if (job.starts > most) broken.push(`G5: ${name} was started ${job.starts} times, ${most} at most`);
  return broken;
};

/** Ends that are nobody's error and burn no attempt. */
const free = ['store-unavailable', 'finish-contended'];

const givenBack = ({ history }: Job): number =>
  history.filter(({ event, detail }) => event === 'retry' && free.includes(String(detail?.['code']))).length;
