/**
 * List prices in US dollars, region us-east-1, without free tiers, as read in November 2026. Sources: "Amazon DynamoDB
 * pricing for on-demand capacity", "Amazon SQS pricing", "AWS Lambda pricing" (Arm) and "Amazon API Gateway pricing"
 * (REST APIs). Lambda's time is left out of the sums: it is measured beside them, and the emulator's milliseconds are
 * not those of AWS.
 */
const dollarsPerMillion = {
  writeUnits: 0.625,
  readUnits: 0.125,
  sqsRequests: 0.4,
  /** On top, for requests on a standard queue whose messages carry a MessageGroupId ("fair queues"). */
  fairQueueRequests: 0.1,
  lambdaRequests: 0.2,
  apiRequests: 3.5,
} as const;

export type Usage = Readonly<Record<keyof typeof dollarsPerMillion, number>>;

/** What one job used, in dollars per million such jobs. */
export const priceOf = (usage: Usage): number =>
  Object.entries(dollarsPerMillion).reduce((sum, [kind, price]) => sum + usage[kind as keyof Usage] * price, 0);
