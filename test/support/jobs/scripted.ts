import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { defineJob, jobRegistry, Retryable } from '#functions/jobs/define-job.ts';
import { account, creditAccount, positiveInteger } from '#functions/jobs/ledger-credit.ts';
import { registry } from '#functions/jobs/registry.ts';

const times = z.int('must be a whole number from 0 to 99').check(z.minimum(0), z.maximum(99));

/** The local stage's job that fails as it is told. Its effect, if it comes to that, is the ledger's. */
const scriptedPayload = z.strictObject({
  account,
  amount: positiveInteger,
  /** The first n starts of the job's whole life throw `Retryable` before the effect; 99: all of them. */
  failBefore: z.optional(times),
  /** The first n times, after the effect is committed, the acknowledgement is lost (see `lose-acks.ts`). */
  loseAck: z.optional(times),
  /** Throws a plain error. */
  permanent: z.optional(z.literal(true)),
  /** The first start hangs for this long and ignores its signal. */
  hangSeconds: z.optional(z.number().check(z.minimum(0), z.maximum(120))),
  /** The first n starts end the worker's process. */
  exit: z.optional(times),
});

const testScripted = defineJob({
  type: 'test.scripted',
  payload: scriptedPayload,
  timeoutSeconds: 5,
  run: async ({ payload, starts, progress }) => {
    const { account: name, amount, failBefore = 0, permanent, hangSeconds = 0, exit = 0 } = payload;
    if (starts <= exit) process.exit(1);
    if (starts === 1 && hangSeconds > 0) {
      progress(0, hangSeconds, 'hanging as told');
      await delay(hangSeconds * 1000);
    }
    if (permanent) throw new Error('told to fail for good');
    if (starts <= failBefore || failBefore === 99) throw new Retryable('told to fail for now');
    return { writes: [creditAccount({ account: name, amount })], result: { credited: amount } };
  },
});

/** What the local stage deploys: the production job types, and the scripted one. */
export const localRegistry = jobRegistry(...registry.values(), testScripted);
