import { shardCount } from '#core/capacity.ts';
import type { Limits } from '#core/limits.ts';
import { type Bill, billOf } from './bill.ts';
import { type Demand, demandOf } from './demand.ts';
import { meanTaken, quantileOf } from './observed.ts';
import { quotasReadOn, ramps } from './quotas.ts';
import { type Goals, type Recommended, recommend } from './recommend.ts';
import { type Strain, strainOf } from './strain.ts';
import type { Effort } from './trials.ts';
import type { Workload } from './workload.ts';

export interface Question {
  readonly workload: Workload;
  readonly limits: Limits;
  readonly goals: Goals;
  /** Items that a handler writes. */
  readonly handlerWrites: number;
  /** Callers that submit alike. */
  readonly tenants: number;
}

interface Settings {
  readonly capacity: number;
  readonly shards: number;
  readonly consumerConcurrencyMax: number;
  readonly batchSize: number;
  /** API Gateway's throttle: at least this. */
  readonly requestsPerSecond: number;
}

interface Expected {
  readonly refusedShare: number;
  /** With 95 % confidence, when none was refused in the run. */
  readonly refusedShareMax: number;
  readonly waitP50Seconds: number;
  readonly waitP99Seconds: number;
  readonly inFlightMean: number;
  readonly attemptsPerJob: number;
  readonly deadShare: number;
  readonly jobsPerBatch: number;
  /** What full batches can do, over the load. At 1 or below the consumer does not keep up. */
  readonly timesTheLoad: number;
}

export interface Plan {
  readonly settings: Settings;
  readonly expected: Expected;
  readonly demand: Demand;
  /** What breaks first before the others. */
  readonly quotas: readonly Strain[];
  readonly quotasReadOn: string;
  readonly bill: Bill;
  readonly ramp: { readonly consumerSeconds: number; readonly tableIsWarm: boolean };
  readonly simulated: { readonly jobs: number; readonly runs: number; readonly scale: number; readonly seed: number };
  readonly unknown: readonly string[];
}

/** What no simulation of steady arrivals can say. */
const unknown = [
  'cold starts, deploys, and bursts beyond a Poisson process',
  'callers of unequal size: one of them may fill its buckets of the index tenant alone',
  'handlers that write the same item: one item takes 1,000 units a second, and transactions on it conflict',
  'workers that are lost, messages that come twice or late',
  'payloads and results that make a record larger than 1 KB',
  'what the handlers call, which must bear all attempts at once',
  'logs, metrics, traces, alarms, backups, data transfer, reads of jobs, the reconciler: they are on no line of the bill',
];

export const planFor = (question: Question, effort: Effort): Plan => {
  const { workload, limits, goals } = question;
  const found = recommend(workload, limits, goals, effort);
  const { observed, scale, capacity, concurrency } = found;
  const demand = demandOf(workload, observed, scale, question.handlerWrites);
  const sized = { arrivalPerSecond: workload.arrivalPerSecond, capacity, concurrency, tenants: question.tenants };
  return {
    settings: {
      capacity,
      shards: shardCount(capacity),
      consumerConcurrencyMax: concurrency,
      batchSize: limits.batchSize,
      requestsPerSecond: Math.ceil(throttleHeadroom * (workload.arrivalPerSecond / workload.bulk)),
    },
    expected: expectedOf(found),
    demand,
    quotas: strainOf(demand, sized),
    quotasReadOn,
    bill: billOf(demand, limits),
    ramp: {
      consumerSeconds: (Math.max(0, concurrency - ramps.mappingFirst) / ramps.mappingPerMinute) * 60,
      tableIsWarm: demand.writes.jobs <= ramps.tableFirstWrites,
    },
    simulated: { jobs: effort.jobs, runs: found.runs, scale, seed: effort.seed },
    unknown,
  };
};

/** A second of a Poisson process may hold more than its mean, and callers read their jobs too. */
const throttleHeadroom = 2;

/** The rule of three: what was never seen in n tries has at most 3/n, with 95 % confidence. */
const unseenMax = 3;

const expectedOf = ({ observed, scale, timesTheLoad }: Recommended): Expected => {
  const { arrivals, refused, waits, succeeded, dead } = observed;
  return {
    refusedShare: refused / arrivals,
    refusedShareMax: refused === 0 ? unseenMax / arrivals : refused / arrivals,
    waitP50Seconds: quantileOf(waits, 0.5) / 1000,
    waitP99Seconds: quantileOf(waits, 0.99) / 1000,
    inFlightMean: meanTaken(observed) * scale,
    attemptsPerJob: 1 + observed.retries / (succeeded + dead),
    deadShare: dead / (succeeded + dead),
    jobsPerBatch: observed.starts / observed.batches,
    timesTheLoad,
  };
};
