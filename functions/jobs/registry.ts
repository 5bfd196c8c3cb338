import { jobRegistry } from './define-job.ts';
import { ledgerCredit } from './ledger-credit.ts';

/** The job types of the production stage. Add yours here. */
export const registry = jobRegistry(ledgerCredit);
