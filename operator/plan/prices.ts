/**
 * List prices in US dollars, region us-east-1, without free tiers and without the rebates for large amounts, as read in
 * November 2026. Sources: "Amazon DynamoDB pricing for on-demand capacity", "Amazon SQS pricing", "AWS Lambda pricing"
 * (Arm, first tier) and "Amazon API Gateway pricing" (REST APIs). `npm run bench` and `sluice plan` take them from here.
 */
export const dollarsPerMillion = {
  writeUnits: 0.625,
  readUnits: 0.125,
  sqsRequests: 0.4,
  /** On top, for requests on a standard queue whose messages carry a MessageGroupId ("fair queues"). */
  fairQueueRequests: 0.1,
  lambdaRequests: 0.2,
  apiRequests: 3.5,
} as const;

/** What the bench leaves out: the emulator's milliseconds are not those of AWS, and it keeps nothing for a month. */
export const dollarsPerLambdaGigabyteSecond = 0.0000133334;
export const dollarsPerStoredGigabyteMonth = 0.25;

export type Usage = Readonly<Record<keyof typeof dollarsPerMillion, number>>;

/** What one job used, in dollars per million such jobs; without Lambda's time and without storage. */
export const priceOf = (usage: Usage): number =>
  Object.entries(dollarsPerMillion).reduce((sum, [kind, price]) => sum + usage[kind as keyof Usage] * price, 0);
