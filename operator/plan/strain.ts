import { shardCount } from '#core/capacity.ts';
import { bounds } from '#core/limits.ts';
import type { Demand } from './demand.ts';
import { type Quota, quotas } from './quotas.ts';

/** One quota, how much of it is used, and the arrival rate at which the same way of working would use it up. */
export interface Strain extends Quota {
  readonly what: string;
  readonly use: number;
  readonly breaksAtPerSecond: number;
}

/** Ours, not of AWS: the slot registry of one stack. */
const slotsOfAStack: Quota = {
  limit: bounds.capacityMax,
  unit: 'slots',
  raisable: false,
  source: 'functions/core/limits.ts',
};

export interface Sized {
  readonly arrivalPerSecond: number;
  readonly capacity: number;
  readonly concurrency: number;
  readonly tenants: number;
}

/** All quotas that a job meets, the one that breaks first before the others. Use grows with the arrival rate. */
export const strainOf = (demand: Demand, sized: Sized): readonly Strain[] => {
  const { arrivalPerSecond } = sized;
  const { writes, reads } = demand;
  const strain = (what: string, quota: Quota, use: number): Strain => ({
    ...quota,
    what,
    use,
    breaksAtPerSecond: (arrivalPerSecond * quota.limit) / use,
  });
  // Shards become more as the load does, up to those of the largest capacity.
  const shards = {
    ...strain('DynamoDB: a shard of the slots', quotas.partitionWrites, writes.shards / shardCount(sized.capacity)),
    breaksAtPerSecond:
      (arrivalPerSecond * quotas.partitionWrites.limit * shardCount(bounds.capacityMax)) / writes.shards,
  };
  // Both the looks and the shards that each look reads become more.
  const jobReads = strain('DynamoDB: reads of jobs', quotas.tableReads, reads.jobs);
  const looks = { ...jobReads, breaksAtPerSecond: arrivalPerSecond * Math.sqrt(jobReads.limit / jobReads.use) };
  const rows = [
    strain('API Gateway: requests', quotas.gatewayRequests, demand.apiCalls),
    strain('Lambda: concurrency', quotas.lambdaConcurrency, demand.apiConcurrency + sized.concurrency),
    strain('Lambda: invocations', quotas.lambdaInvocations, demand.apiCalls + demand.batches),
    strain('Lambda: batches of the mapping', quotas.mappingConcurrency, sized.concurrency),
    strain('SQS: messages in flight', quotas.sqsInFlight, demand.received),
    strain('DynamoDB: writes to jobs', quotas.tableWrites, writes.jobs),
    strain('DynamoDB: writes of handlers', quotas.tableWrites, writes.handlers),
    looks,
    strain('DynamoDB: the control item', quotas.partitionReads, reads.control),
    strain('DynamoDB: a bucket of index recent', quotas.partitionWrites, writes.recentIndex / bounds.recentBuckets),
    strain(
      'DynamoDB: a bucket of index tenant',
      quotas.partitionWrites,
      writes.tenantIndex / (bounds.tenantBuckets * sized.tenants),
    ),
    shards,
    strain('Sluice: slots of one stack', slotsOfAStack, sized.capacity),
  ];
  return rows.filter(({ use }) => use > 0).toSorted((a, b) => a.breaksAtPerSecond - b.breaksAtPerSecond);
};
