import type { Limits } from '#core/limits.ts';
import type { Demand } from './demand.ts';
import { deployed } from './deployed.ts';
import {
  dollarsPerLambdaGigabyteSecond,
  dollarsPerMillion,
  dollarsPerStoredGigabyteMonth,
  type Usage,
} from './prices.ts';

/** 730 hours, as AWS reckons. */
const secondsPerMonth = 730 * 3_600;

/**
 * A record stays within the 1 KB of one write unit, as long as payload and result are short; two entries of indexes that
 * hold keys only, and 100 bytes of overhead that DynamoDB adds to each of the three.
 */
const storedGigabytesPerJob = 1.5e-6;

interface BillLine {
  readonly what: string;
  readonly dollarsPerMonth: number;
}

export interface Bill {
  readonly lines: readonly BillLine[];
  readonly dollarsPerMonth: number;
  readonly dollarsPerMillionJobs: number;
}

export const billOf = (demand: Demand, limits: Limits): Bill => {
  const { writes, reads, sqsRequests, apiCalls, batches } = demand;
  const usage: Usage = {
    writeUnits: writes.jobs + writes.tenantIndex + writes.recentIndex + writes.handlers,
    readUnits: reads.jobs,
    sqsRequests,
    fairQueueRequests: deployed.fairQueues ? sqsRequests : 0,
    lambdaRequests: apiCalls + batches,
    apiRequests: apiCalls,
  };
  const month = (kind: keyof Usage) => (usage[kind] * secondsPerMonth * dollarsPerMillion[kind]) / 1e6;
  const storedGigabytes = demand.accepted * limits.finalRetentionSeconds * storedGigabytesPerJob;
  const lines = [
    { what: 'DynamoDB writes', dollarsPerMonth: month('writeUnits') },
    { what: 'DynamoDB reads', dollarsPerMonth: month('readUnits') },
    { what: 'DynamoDB storage', dollarsPerMonth: storedGigabytes * dollarsPerStoredGigabyteMonth },
    { what: 'SQS', dollarsPerMonth: month('sqsRequests') + month('fairQueueRequests') },
    { what: 'Lambda calls', dollarsPerMonth: month('lambdaRequests') },
    {
      what: 'Lambda time',
      dollarsPerMonth: demand.gigabyteSeconds * secondsPerMonth * dollarsPerLambdaGigabyteSecond,
    },
    { what: 'API Gateway', dollarsPerMonth: month('apiRequests') },
  ];
  const dollarsPerMonth = lines.reduce((sum, line) => sum + line.dollarsPerMonth, 0);
  return {
    lines,
    dollarsPerMonth,
    dollarsPerMillionJobs: (dollarsPerMonth / (demand.accepted * secondsPerMonth)) * 1e6,
  };
};
