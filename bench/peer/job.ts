import * as z from 'zod/mini';
import { account, positiveInteger } from '../../functions/jobs/ledger-credit.ts';

/** The same job as Sluice's sample job, with the same checks. */
const credit = z.strictObject({ account, amount: positiveInteger });
export const submission = z.strictObject({ type: z.literal('ledger.credit'), payload: credit });
export const message = z.strictObject({ id: z.string(), type: z.literal('ledger.credit'), payload: credit });
export type Message = z.infer<typeof message>;
