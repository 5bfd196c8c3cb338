/**
 * List prices in US dollars, region us-east-1, without free tiers and without the rebates for large amounts, as read in
 * November 2026. Sources: "Amazon DynamoDB pricing for on-demand capacity", "Amazon SQS pricing", "AWS Lambda pricing"
 * (Arm, first tier) and "Amazon API Gateway pricing" (REST APIs). `npm run bench`, `npm run costs` and `sluice plan` take them
 * from here.
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

/**
 * What is paid whether or not there are jobs. Sources: "Amazon CloudWatch pricing", "AWS X-Ray pricing", "AWS Key Management
 * Service pricing". Scheduled rules, mappings, roles and log groups cost nothing as such.
 */
export const idlePrices = {
  alarmMetricMonth: 0.1,
  customMetricMonth: 0.3,
  dashboardMonth: 3,
  traceRecorded: 0.000005,
  keyRequest: 0.000003,
  logGigabyteIngested: 0.5,
  logGigabyteMonth: 0.03,
  /** Recovery to a point in time, on top of what is stored. */
  recoveryGigabyteMonth: 0.2,
} as const;

export type Usage = Readonly<Record<keyof typeof dollarsPerMillion, number>>;

/** What one job used, in dollars per million such jobs; without Lambda's time and without storage. */
export const priceOf = (usage: Usage): number =>
  Object.entries(dollarsPerMillion).reduce((sum, [kind, price]) => sum + usage[kind as keyof Usage] * price, 0);
