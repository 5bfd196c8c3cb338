/**
 * Every bound of the system, in one place, units in the names. The CDK stack sizes its resources from here and hands
 * the whole object to each Lambda, so that no number is typed twice. `assertLimits` holds the relations between them
 * and runs at synth and at every cold start.
 */
export interface Limits {
  /** Jobs in flight (queued, running, retrying) at most, until an operator sets another capacity. */
  readonly capacity: number;
  /** Starts per tenure; also the queue's maxReceiveCount. */
  readonly attemptsMax: number;
  readonly waitBaseSeconds: number;
  readonly waitCapSeconds: number;
  /** Jitter only adds: a wait is at most `(1 + waitJitterRatio)` times its base. */
  readonly waitJitterRatio: number;
  /** Sum of the waits of one tenure, unless the job brings `waitBudgetSeconds`. */
  readonly waitBudgetDefaultSeconds: number;
  /** A stage caps every job's own timeout by this. */
  readonly jobTimeoutSeconds: number;
  readonly consumerTimeoutSeconds: number;
  /** Time that a consumer keeps for its finish and its last calls, out of the function's own time. */
  readonly finishReserveSeconds: number;
  readonly visibilitySeconds: number;
  readonly batchSize: number;
  readonly batchWindowSeconds: number;
  readonly consumerConcurrencyMax: number;
  /** After a lease ended, nobody takes the job over before this has passed too. */
  readonly leaseGraceSeconds: number;
  readonly putOffMinSeconds: number;
  /** After this many put-offs a suspect runs first and alone. */
  readonly suspectPutOffsMax: number;
  /** Beyond this and the visibility, a message is taken for missing and sent again; doubles with each resend. */
  readonly resendPatienceSeconds: number;
  readonly resendPatienceCapSeconds: number;
  /** Visible messages may postpone a resend by this at most; doubles with each resend. */
  readonly resendBacklogPostponeSeconds: number;
  /** A slot token that no record carries is freed once older than this. */
  readonly orphanTokenSeconds: number;
  /** An API request older than this no longer writes a record for its token; well below `orphanTokenSeconds`. */
  readonly submitAgeMaxSeconds: number;
  /** A call to DynamoDB sends no further try when it was begun longer ago than this. */
  readonly callAgeMaxSeconds: number;
  readonly staleAfterSeconds: number;
  readonly returnsMax: number;
  readonly sweepMessagesMax: number;
  readonly redrivesMax: number;
  readonly redrivesForcedMax: number;
  /** What part of the capacity one tenant may hold, above 0 up to 1; 1 is no quota. */
  readonly tenantShare: number;
  /** A drain names what is left after this long, and gives up waiting. */
  readonly drainSeconds: number;
  readonly queueRetentionSeconds: number;
  readonly deadLetterRetentionSeconds: number;
  /** How long after a job has become dead a redrive of it is promised. */
  readonly redriveWindowSeconds: number;
  readonly finalRetentionSeconds: number;
  readonly apiTimeoutSeconds: number;
  readonly operatorTimeoutSeconds: number;
  readonly reconcilerTimeoutSeconds: number;
  readonly reconcilerPeriodSeconds: number;
  /** Records that one reconciler run looks at, at most; the next run goes on from there. */
  readonly reconcilerRecordsMax: number;
  readonly sdkTimeoutSeconds: number;
  readonly sdkAttemptsMax: number;
  /** A view of slots or of the backlog may refuse without a fresh look while younger than this. */
  readonly viewMaxAgeSeconds: number;
}

/** Bounds that no stage changes. Sizes in bytes are of UTF-8 text. */
export const bounds = {
  /** AWS: DynamoDB items are at most 400 KB, attribute names included. */
  itemBytes: 400 * 1024,
  payloadBytes: 65_536,
  /** Raw request bodies above this are not even parsed: escapes may blow a valid payload up sixfold, not more. */
  requestBodyBytes: 1_048_576,
  /** AWS: Lambda takes 6 MB in a synchronous call, the event around the body included. */
  batchBodyBytes: 4_194_304,
  batchJobsMax: 25,
  waitSecondsMax: 20,
  /** A payload up to this stays in the job record, so that the record stays one write unit. */
  inlinePayloadBytes: 500,
  resultBytes: 65_536,
  reasonMessageChars: 500,
  progressNoteChars: 200,
  historyEntriesMax: 200,
  historyEntryBytes: 450,
  historyMessageChars: 100,
  jsonDepthMax: 100,
  keyCharsMax: 64,
  capacityMax: 100_000,
  slotsPerShard: 32,
  shardsTriedMax: 8,
  /** Ids of jobs that an API instance remembers, about a hundred bytes each. */
  recentIdsMax: 10_000,
  /** AWS: SQS DelaySeconds is at most 900. */
  delaySecondsMax: 900,
  deadlineSecondsMax: 1_209_600,
  waitBudgetSecondsMax: 43_200,
  /** AWS: TransactWriteItems takes 100 items; the job record, its payload item and a spare are ours. */
  handlerWritesMax: 97,
  pageLimitDefault: 50,
  pageLimitMax: 100,
  idsMax: 100,
  ratePerSecondMax: 100,
  deadCountMax: 10_000,
  /** Status splits the jobs in flight by state only up to this many. */
  statusSplitMax: 256,
  deadBuckets: 4,
  tenantBuckets: 4,
  recentBuckets: 8,
  retryAfterFullMaxSeconds: 5,
  retryAfterClosedSeconds: 60,
  retryAfterUnavailableSeconds: 2,
} as const;

const day = 86_400;

export const productionLimits: Limits = {
  capacity: 1_000,
  attemptsMax: 3,
  waitBaseSeconds: 1,
  waitCapSeconds: 60,
  waitJitterRatio: 0.25,
  waitBudgetDefaultSeconds: 900,
  jobTimeoutSeconds: 30,
  consumerTimeoutSeconds: 60,
  finishReserveSeconds: 5,
  visibilitySeconds: 360,
  batchSize: 10,
  batchWindowSeconds: 0,
  consumerConcurrencyMax: 50,
  leaseGraceSeconds: 5,
  putOffMinSeconds: 1,
  suspectPutOffsMax: 3,
  resendPatienceSeconds: 300,
  resendPatienceCapSeconds: 3_600,
  resendBacklogPostponeSeconds: 900,
  orphanTokenSeconds: 900,
  submitAgeMaxSeconds: 60,
  callAgeMaxSeconds: 12,
  staleAfterSeconds: 900,
  returnsMax: 5,
  sweepMessagesMax: 100,
  redrivesMax: 3,
  redrivesForcedMax: 20,
  tenantShare: 1,
  drainSeconds: 3_600,
  queueRetentionSeconds: 4 * day,
  deadLetterRetentionSeconds: 14 * day,
  redriveWindowSeconds: 12 * day,
  finalRetentionSeconds: 30 * day,
  apiTimeoutSeconds: 28,
  operatorTimeoutSeconds: 28,
  reconcilerTimeoutSeconds: 50,
  reconcilerPeriodSeconds: 60,
  // As many as there can be slots: the run's time is what bounds it.
  reconcilerRecordsMax: 100_000,
  sdkTimeoutSeconds: 2,
  sdkAttemptsMax: 3,
  viewMaxAgeSeconds: 1,
};

/** The stage on the developer's own machine: the same relations, times short enough to watch. */
export const localLimits: Limits = {
  ...productionLimits,
  capacity: 100,
  waitJitterRatio: 0,
  jobTimeoutSeconds: 2,
  consumerTimeoutSeconds: 3,
  finishReserveSeconds: 0.5,
  visibilitySeconds: 18,
  consumerConcurrencyMax: 4,
  leaseGraceSeconds: 1,
  resendPatienceSeconds: 10,
  resendBacklogPostponeSeconds: 60,
  orphanTokenSeconds: 30,
  submitAgeMaxSeconds: 12,
  staleAfterSeconds: 10,
  drainSeconds: 300,
  // One process answers for all services there, and two hundred callers at once make it slow.
  sdkTimeoutSeconds: 4,
  callAgeMaxSeconds: 10,
};

export class LimitsError extends Error {
  override readonly name = 'LimitsError';
}

/** The relations, each with the sentence that tells what to change. Sources: the AWS pages named in DESIGN.md. */
const relations: readonly [(l: Limits) => boolean, (l: Limits) => string][] = [
  [
    (l) => l.visibilitySeconds >= 6 * l.consumerTimeoutSeconds + l.batchWindowSeconds,
    (l) =>
      `visibilitySeconds (${l.visibilitySeconds}) must be at least 6 × consumerTimeoutSeconds + batchWindowSeconds ` +
      `(${6 * l.consumerTimeoutSeconds + l.batchWindowSeconds}); raise the visibility or lower the function's timeout`,
  ],
  [
    (l) => l.jobTimeoutSeconds + l.finishReserveSeconds < l.consumerTimeoutSeconds,
    (l) =>
      `jobTimeoutSeconds + finishReserveSeconds (${l.jobTimeoutSeconds + l.finishReserveSeconds}) must be below ` +
      `consumerTimeoutSeconds (${l.consumerTimeoutSeconds}); lower the job timeout or raise the function's`,
  ],
  [
    (l) => l.deadLetterRetentionSeconds > l.queueRetentionSeconds,
    (l) =>
      `deadLetterRetentionSeconds (${l.deadLetterRetentionSeconds}) must exceed queueRetentionSeconds ` +
      `(${l.queueRetentionSeconds}), since a message moved to a standard dead-letter queue keeps its first enqueue ` +
      `time; raise the dead-letter queue's retention`,
  ],
  [
    (l) => l.finalRetentionSeconds >= l.queueRetentionSeconds + l.deadLetterRetentionSeconds + l.redriveWindowSeconds,
    (l) =>
      `finalRetentionSeconds (${l.finalRetentionSeconds}) must be at least queue retention + dead-letter retention + ` +
      `redriveWindowSeconds (${l.queueRetentionSeconds + l.deadLetterRetentionSeconds + l.redriveWindowSeconds}); ` +
      `keep final records longer`,
  ],
  [
    (l) =>
      l.sdkTimeoutSeconds * l.sdkAttemptsMax <
      Math.min(l.apiTimeoutSeconds, l.operatorTimeoutSeconds, l.reconcilerTimeoutSeconds),
    (l) =>
      `sdkTimeoutSeconds × sdkAttemptsMax (${l.sdkTimeoutSeconds * l.sdkAttemptsMax}) must be below ` +
      `apiTimeoutSeconds (${l.apiTimeoutSeconds}), operatorTimeoutSeconds (${l.operatorTimeoutSeconds}) and ` +
      `reconcilerTimeoutSeconds (${l.reconcilerTimeoutSeconds}), or a dependency that hangs turns into a time-out`,
  ],
  [
    (l) => l.apiTimeoutSeconds < 29 && l.operatorTimeoutSeconds < 29,
    (l) =>
      `apiTimeoutSeconds (${l.apiTimeoutSeconds}) and operatorTimeoutSeconds (${l.operatorTimeoutSeconds}) must be ` +
      `below 29, API Gateway's own integration timeout`,
  ],
  [
    (l) => l.reconcilerTimeoutSeconds < l.reconcilerPeriodSeconds,
    (l) =>
      `reconcilerTimeoutSeconds (${l.reconcilerTimeoutSeconds}) must be below reconcilerPeriodSeconds ` +
      `(${l.reconcilerPeriodSeconds}), so that runs do not overlap`,
  ],
  [
    (l) => l.submitAgeMaxSeconds + l.callAgeMaxSeconds + l.sdkTimeoutSeconds < l.orphanTokenSeconds,
    (l) =>
      `submitAgeMaxSeconds + callAgeMaxSeconds + sdkTimeoutSeconds ` +
      `(${l.submitAgeMaxSeconds + l.callAgeMaxSeconds + l.sdkTimeoutSeconds}) must be below orphanTokenSeconds (${l.orphanTokenSeconds}), or a slot could be freed under a request that still writes its record`,
  ],
  [
    (l) => l.capacity >= 1 && l.capacity <= bounds.capacityMax && Number.isInteger(l.capacity),
    (l) => `capacity (${l.capacity}) must be a whole number from 1 to ${bounds.capacityMax}`,
  ],
  [
    (l) => l.attemptsMax >= 1 && l.attemptsMax <= 10 && Number.isInteger(l.attemptsMax),
    (l) => `attemptsMax (${l.attemptsMax}) must be a whole number from 1 to 10: it is also the queue's maxReceiveCount`,
  ],
  [
    (l) => l.orphanTokenSeconds + 1 + 2 * l.reconcilerPeriodSeconds <= 1_200,
    (l) =>
      `orphanTokenSeconds + two reconciler periods (${l.orphanTokenSeconds + 1 + 2 * l.reconcilerPeriodSeconds}) must ` +
      `not exceed 1200: a slot that no record ever carried is promised free within 20 minutes`,
  ],
  [
    (l) => l.waitBaseSeconds > 0 && l.waitBaseSeconds <= l.waitCapSeconds,
    (l) => `waitBaseSeconds (${l.waitBaseSeconds}) must be above 0 and at most waitCapSeconds (${l.waitCapSeconds})`,
  ],
  [
    (l) => l.resendPatienceSeconds <= l.resendPatienceCapSeconds,
    (l) =>
      `resendPatienceSeconds (${l.resendPatienceSeconds}) must not exceed resendPatienceCapSeconds ` +
      `(${l.resendPatienceCapSeconds})`,
  ],
  [
    (l) => l.drainSeconds > 2 * l.reconcilerPeriodSeconds,
    (l) =>
      `drainSeconds (${l.drainSeconds}) must exceed two reconciler periods (${2 * l.reconcilerPeriodSeconds}), since ` +
      `two looks make a drain`,
  ],
  [
    (l) => l.batchSize >= 1 && (l.batchSize <= 10 || l.batchWindowSeconds >= 1),
    (l) =>
      `batchSize (${l.batchSize}) must be 1 to 10, or batchWindowSeconds (${l.batchWindowSeconds}) at least 1 (AWS)`,
  ],
  [
    (l) => l.consumerConcurrencyMax >= 2 && l.consumerConcurrencyMax <= 1_000,
    (l) => `consumerConcurrencyMax (${l.consumerConcurrencyMax}) must be from 2 to 1000 (AWS)`,
  ],
  [
    (l) => l.deadLetterRetentionSeconds <= 1_209_600 && l.visibilitySeconds <= 43_200,
    (l) =>
      `deadLetterRetentionSeconds (${l.deadLetterRetentionSeconds}) must be at most 1209600 and visibilitySeconds ` +
      `(${l.visibilitySeconds}) at most 43200 (AWS)`,
  ],
  [
    (l) => l.tenantShare > 0 && l.tenantShare <= 1,
    (l) => `tenantShare (${l.tenantShare}) must be above 0 and at most 1, where 1 is no quota`,
  ],
  [
    (l) => l.redrivesMax <= l.redrivesForcedMax,
    (l) => `redrivesMax (${l.redrivesMax}) must not exceed redrivesForcedMax (${l.redrivesForcedMax})`,
  ],
  [
    (l) => bounds.historyEntriesMax >= 3 * (2 * l.attemptsMax + 2),
    (l) =>
      `historyEntriesMax (${bounds.historyEntriesMax}) must hold three tenures of ${2 * l.attemptsMax + 2} entries`,
  ],
  [
    () =>
      bounds.payloadBytes + bounds.resultBytes + (bounds.historyEntriesMax + 50) * bounds.historyEntryBytes + 8_192 <
      bounds.itemBytes,
    () => `payload, result, history and overhead must stay below DynamoDB's ${bounds.itemBytes} bytes together`,
  ],
];

const isBound = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value >= 0;

/**
 * Throws `LimitsError` with every relation that does not hold, each with both numbers and what to change.
 * Called at synth and at each cold start; costs microseconds.
 */
export const assertLimits = (limits: Limits): Limits => {
  const odd = Object.keys(productionLimits).filter((name) => !isBound(limits[name as keyof Limits]));
  if (odd.length > 0) throw new LimitsError(`${odd.join(', ')}: each must be a finite number that is not negative`);
  const broken = relations.filter(([holds]) => !holds(limits)).map(([, explain]) => explain(limits));
  if (broken.length > 0) throw new LimitsError(broken.join('\n'));
  return limits;
};
