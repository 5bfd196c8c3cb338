/**
 * What the stack of the production stage deploys, as far as the plan reckons with it and `functions/core/limits.ts` does
 * not say it. `test/infra/plan.test.ts` holds it to the template.
 */
export const deployed = {
  apiGigabytes: 0.5,
  consumerGigabytes: 1,
  /** API Gateway's throttle for the whole API. */
  requestsPerSecond: 1_000,
  fairQueues: true,
} as const;
