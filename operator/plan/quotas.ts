/** When the pages below were last compared with the numbers here. Defaults; an account may have been given more, or less. */
export const quotasReadOn = '2026-11-30';

export interface Quota {
  readonly limit: number;
  readonly unit: string;
  /** Whether AWS raises it on request. */
  readonly raisable: boolean;
  readonly source: string;
}

const dynamoQuotas = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html';
const dynamoPartitions =
  'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html';
const dynamoOnDemand = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html';
const sqsQuotas = 'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html';
const lambdaQuotas = 'https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html';
const lambdaSqsScaling = 'https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html';
const gatewayQuotas = 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html';

export const quotas = {
  /** The same number holds for a table and for each of its indexes. */
  tableWrites: { limit: 40_000, unit: 'units/s', raisable: true, source: dynamoQuotas },
  tableReads: { limit: 40_000, unit: 'units/s', raisable: true, source: dynamoQuotas },
  /** Of one partition, and so of one item and of one key of an index. */
  partitionWrites: { limit: 1_000, unit: 'units/s', raisable: false, source: dynamoPartitions },
  partitionReads: { limit: 3_000, unit: 'units/s', raisable: false, source: dynamoPartitions },
  /** Received and not yet deleted: running, or waiting for the next attempt. */
  sqsInFlight: { limit: 120_000, unit: 'messages', raisable: true, source: sqsQuotas },
  /** Shared by all functions of the account in the region. */
  lambdaConcurrency: { limit: 1_000, unit: 'at once', raisable: true, source: lambdaQuotas },
  /** Ten calls a second for each execution environment that the account may have. */
  lambdaInvocations: { limit: 10_000, unit: 'calls/s', raisable: true, source: lambdaQuotas },
  /** Batches at once that one mapping can be set to. */
  mappingConcurrency: { limit: 1_000, unit: 'batches', raisable: false, source: lambdaSqsScaling },
  gatewayRequests: { limit: 10_000, unit: 'calls/s', raisable: true, source: gatewayQuotas },
} as const satisfies Readonly<Record<string, Quota>>;

/** What is no bound for ever, but one on how fast it goes up from nothing. */
export const ramps = {
  /** A mapping begins with these batches at once, and adds so many a minute. */
  mappingFirst: 5,
  mappingPerMinute: 300,
  mappingSource: lambdaSqsScaling,
  /** What a new table takes at once; beyond it, twice the highest rate so far within 30 minutes. */
  tableFirstWrites: 4_000,
  tableSource: dynamoOnDemand,
} as const;
