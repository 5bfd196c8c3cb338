import { isGone, type Job } from '#core/job.ts';
import type { JobsPage, JobsQuery } from '#functions/ports.ts';
import { type BucketedIndex, type IndexEntry, readIndex } from './bucketed-index.ts';
import { recentBucketNames, tenantBucketNames } from './job-item.ts';
import { batchGet, type DynamoConfig, jobOf } from './jobs-table.ts';

const tenantIndex = (tenant: string): BucketedIndex => ({
  indexName: 'tenant',
  bucketAttribute: 'tenantBucket',
  sortAttribute: 'submittedAt',
  buckets: tenantBucketNames(tenant),
});

const recentIndex: BucketedIndex = {
  indexName: 'recent',
  bucketAttribute: 'recentBucket',
  sortAttribute: 'submittedAt',
  buckets: recentBucketNames,
};

/** Records that one call reads at most, so that its cost follows the page and never the table. */
const examinedMax = 300;
const readAtOnce = 100;

/** Reads the keys in order, the records behind them in batches, and keeps those that fit, until the page is full. */
export const listJobs = async (config: DynamoConfig, query: JobsQuery): Promise<JobsPage> => {
  const index = query.tenant === undefined ? recentIndex : tenantIndex(query.tenant);
  const entries = readIndex(config, index, {
    order: 'newest-first',
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    after: query.after,
    limit: query.limit,
    examinedMax,
  });
  const jobs: Job[] = [];
  const positions: string[] = [];
  let examined = 0;
  for (;;) {
    const some = await take(entries, Math.min(readAtOnce, Math.max(query.limit - jobs.length, minRead)));
    examined += some.length;
    const found = await load(config, some);
    for (const { position, job } of found) {
      if (job === undefined || !fits(job, query)) continue;
      jobs.push(job);
      positions.push(position);
      if (jobs.length === query.limit) return { jobs, positions, next: position };
    }
    const last = some.at(-1);
    if (last === undefined) return { jobs, positions };
    if (examined >= examinedMax) return { jobs, positions, next: last.position };
  }
};

/** A filter that fits little would otherwise read a handful at a time. */
const minRead = 25;

const take = async (entries: AsyncGenerator<IndexEntry>, count: number): Promise<readonly IndexEntry[]> => {
  const taken: IndexEntry[] = [];
  while (taken.length < count) {
    const next = await entries.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
};

const load = async (config: DynamoConfig, entries: readonly IndexEntry[]) => {
  const items =
    entries.length === 0
      ? []
      : await batchGet(
          config,
          entries.map((entry) => entry.id),
        );
  const jobs = new Map(items.map((item) => [item['id']?.S, jobOf(item)]));
  return entries.map(({ id, position }) => ({ position, job: jobs.get(id) }));
};

const fits = (job: Job, { tenant, state, type, now }: JobsQuery): boolean =>
  !isGone(job, now) &&
  (tenant === undefined || job.scope === tenant) &&
  (state === undefined || job.state === state) &&
  (type === undefined || job.type === type);
