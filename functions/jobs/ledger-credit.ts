import * as z from 'zod/mini';
import type { JobWrite } from '#core/job-write.ts';
import { defineJob } from './define-job.ts';

/** The ledger's table, by the name that the stack's `JOB_TABLES` maps to the real one. Key: `account`. */
const ledger = 'ledger';

const accountText = '1 to 64 characters of A-Z a-z 0-9 _ -';
export const account = z
  .string(`must be ${accountText}`)
  .check(z.regex(/^[A-Za-z0-9_-]{1,64}$/, `must be ${accountText}`));

const amountText = `must be a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`;
export const positiveInteger = z
  .number(amountText)
  .check(z.refine((n) => Number.isSafeInteger(n) && n >= 1, amountText));

/** Adds the amount to the account's total and counts the write; the item appears with the first credit. */
export const creditAccount = (credit: { account: string; amount: number }): JobWrite => ({
  table: ledger,
  key: { account: credit.account },
  kind: 'update',
  update: {
    expression: 'ADD #total :amount, #writes :one',
    names: { '#total': 'total', '#writes': 'writes' },
    values: { ':amount': credit.amount, ':one': 1 },
  },
});

/** The sample job: credits an account of the ledger, once. */
export const ledgerCredit = defineJob({
  type: 'ledger.credit',
  payload: z.strictObject({ account, amount: positiveInteger }),
  timeoutSeconds: 5,
  run: ({ payload }) => ({ writes: [creditAccount(payload)], result: { credited: payload.amount } }),
});
