/**
 * What a job asks of AWS, in calls and DynamoDB units. `test/system/costs.test.ts` counts both between the Lambdas and
 * the emulator and holds them to these figures; `sluice plan` multiplies them. A unit is a write of up to 1 KB, and counts
 * twice in a transaction.
 */
export const jobCalls = {
  /** Looks at control item, shards and backlog come on top, each once a second an instance at most. */
  submit: { 'dynamodb:UpdateItem': 1, 'dynamodb:PutItem': 1, 'sqs:SendMessage': 1 },
  /** Of a call with up to `sharedBySend` jobs: their slots and messages are shared, as far as they lie in one shard. */
  submitBulk: { 'dynamodb:UpdateItem': 1, 'sqs:SendMessageBatch': 1 },
  finish: { 'dynamodb:TransactWriteItems': 1 },
  /** Its start, and the end that is not in a transaction as it has no effect. */
  failedAttempt: { 'dynamodb:UpdateItem': 2, 'sqs:ChangeMessageVisibility': 1 },
} as const;

/** SQS takes ten messages in one call. */
export const sharedBySend = 10;

export const jobUnits = {
  /** The slot and the record; one unit more for each index that a list needs. */
  slot: 1,
  record: 1,
  tenantIndex: 1,
  recentIndex: 1,
  start: 1,
  /** The record's part of the transaction, and each of the handler's writes of up to 1 KB. */
  finish: 2,
  effect: 2,
  failedAttempt: 1,
  /** Read units: the record, so that a job that is known is not refused. */
  refusal: 1,
  /** For all jobs of a batch that lie in one shard. */
  freeShard: 1,
} as const;
