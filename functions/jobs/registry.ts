import { readWebhookSettings } from '#functions/env.ts';
import { jobRegistry } from './define-job.ts';
import { ledgerCredit } from './ledger-credit.ts';
import { webhookDeliver } from './webhook-deliver.ts';

/**
 * The job types of the production stage. Add yours here. A job that needs configuration takes a function that reads it,
 * called when the job first runs: the API knows all job types too, to check payloads, and is not configured for them.
 */
export const registry = jobRegistry(ledgerCredit, webhookDeliver(readWebhookSettings));
