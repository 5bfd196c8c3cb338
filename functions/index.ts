// What a job's author imports as `sluice/functions`. The handlers of API and consumer are made by `createHandler` of
// `sluice/functions/api` and `sluice/functions/consumer`, apart from this, so that a bundle carries one of them only.
export type { JobWrite, WriteExpression } from './core/job-write.ts';
export { readWebhookSettings } from './env.ts';
export {
  defineJob,
  type Job,
  type JobContext,
  type JobDefinition,
  type JobDone,
  type JobLogger,
  type JobRegistry,
  jobRegistry,
  Retryable,
} from './jobs/define-job.ts';
