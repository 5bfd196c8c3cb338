// What another CDK app imports as `sluice/infra`. docs/own-app.md shows the use, and examples/ have apps that do so.
export { type Limits, localLimits, productionLimits } from '../functions/core/limits.ts';
export { BoundedJobQueue, type BoundedJobQueueProps } from './bounded-job-queue.ts';
export type { DomainProps } from './domain.ts';
export type { JobEntries } from './job-function.ts';
export type { NetworkProps } from './network.ts';
export type { HandlerTable } from './rights.ts';
export { type JobSettings, localSettings, productionSettings } from './settings.ts';
export type { WebhookProps } from './webhooks.ts';
