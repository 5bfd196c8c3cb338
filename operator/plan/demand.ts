import { deployed } from './deployed.ts';
import { jobCalls, jobUnits, sharedBySend } from './job-calls.ts';
import type { Observed } from './observed.ts';
import type { Workload } from './workload.ts';

/** What the system asks of AWS, a second unless said otherwise. */
export interface Demand {
  readonly accepted: number;
  /** Write units by where they fall; a table and each of its indexes are counted by themselves. */
  readonly writes: {
    readonly jobs: number;
    readonly tenantIndex: number;
    readonly recentIndex: number;
    readonly handlers: number;
    /** Those of `jobs` that fall on the shards of the slot registry. */
    readonly shards: number;
  };
  readonly reads: { readonly jobs: number; readonly control: number };
  readonly sqsRequests: number;
  /** On average at any time. */
  readonly received: number;
  readonly apiCalls: number;
  /** Deliveries to the consumer. */
  readonly batches: number;
  readonly apiConcurrency: number;
  readonly gigabyteSeconds: number;
}

/** From what was seen in the simulated part, `scale` times as much, and the counted figures of a job. */
export const demandOf = (workload: Workload, observed: Observed, scale: number, handlerWrites: number): Demand => {
  const rate = (count: number) => (count / observed.seconds) * scale;
  const accepted = rate(observed.arrivals - observed.refused);
  const succeeded = rate(observed.succeeded);
  const again = rate(observed.retries + observed.dead);
  const shards =
    rate(observed.takes + observed.takesRefused) * jobUnits.slot + rate(observed.frees) * jobUnits.freeShard;
  const apiCalls = rate(observed.arrivals) / workload.bulk;
  const batches = rate(observed.batches);
  const finish = handlerWrites === 0 ? jobUnits.failedAttempt : jobUnits.finish;
  const sendsPerJob =
    workload.bulk === 1 ? jobCalls.submit['sqs:SendMessage'] : Math.ceil(workload.bulk / sharedBySend) / workload.bulk;
  const { apiSeconds } = workload;
  return {
    accepted,
    writes: {
      jobs:
        shards +
        accepted * jobUnits.record +
        rate(observed.starts) * jobUnits.start +
        succeeded * finish +
        again * jobUnits.failedAttempt,
      tenantIndex: accepted * jobUnits.tenantIndex,
      recentIndex: accepted * jobUnits.recentIndex,
      handlers: succeeded * handlerWrites * jobUnits.effect,
      shards,
    },
    reads: {
      // A look reads every shard, and of those the simulated part had so many times less.
      jobs: rate(observed.refused) * jobUnits.refusal + rate(observed.controlReads) + rate(observed.shardReads) * scale,
      control: rate(observed.controlReads),
    },
    // A receive and a delete for each delivery.
    sqsRequests:
      accepted * sendsPerJob +
      2 * batches +
      rate(observed.retries) * jobCalls.failedAttempt['sqs:ChangeMessageVisibility'] +
      rate(observed.backlogReads),
    received: observed.received * scale,
    apiCalls,
    batches,
    apiConcurrency: apiCalls * apiSeconds,
    gigabyteSeconds:
      apiCalls * apiSeconds * deployed.apiGigabytes + rate(observed.batchSeconds) * deployed.consumerGigabytes,
  };
};
