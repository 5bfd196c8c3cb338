import * as z from 'zod/mini';
import { defineJob, type JobRegistry, jobRegistry, Retryable } from '#functions/jobs/define-job.ts';
import { account, creditAccount, positiveInteger } from '#functions/jobs/ledger-credit.ts';

const payloadSchema = z.strictObject({
  account,
  amount: positiveInteger,
  /** The first n starts of the job's whole life throw `Retryable`. */
  failStarts: z.optional(z.int()),
  /** The first n starts throw a plain error. */
  permanentStarts: z.optional(z.int()),
  /** The first start waits until the test lets it go on. */
  held: z.optional(z.literal(true)),
  /** The write has a condition that fails. */
  conditionFails: z.optional(z.literal(true)),
  /** Makes the payload so long that it gets an item of its own. */
  padding: z.optional(z.string()),
});
export type FaultyPayload = z.infer<typeof payloadSchema>;

/** How a test's request differs from one that just succeeds. */
export interface AskOptions extends Partial<Omit<FaultyPayload, 'account' | 'amount'>> {
  readonly key?: string;
  readonly amount?: number;
  readonly options?: { readonly deadlineSeconds?: number; readonly delaySeconds?: number };
}

/** Where a handler that is held waits. */
export class Gate {
  readonly #arrived = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();
  #holding = false;
  readonly arrived = this.#arrived.promise;

  get isHolding(): boolean {
    return this.#holding;
  }

  open(): void {
    this.#opened.resolve();
  }

  async pass(): Promise<void> {
    this.#holding = true;
    this.#arrived.resolve();
    await this.#opened.promise;
  }
}

export const faultyType = 'test.faulty';

/** A job that fails as its payload tells; `runs` gets an entry for each time that its handler was called. */
export const faultyJobs = (runs: { readonly id: string; readonly attempt: number }[], gate: Gate): JobRegistry =>
  jobRegistry(
    defineJob({
      type: faultyType,
      payload: payloadSchema,
      timeoutSeconds: 5,
      run: async ({ payload, id, attempt, starts }) => {
        runs.push({ id, attempt });
        if (payload.held && starts === 1) await gate.pass();
        if (starts <= (payload.permanentStarts ?? 0)) throw new Error(`told to fail for good: ${payload.account}`);
        if (starts <= (payload.failStarts ?? 0)) throw new Retryable(`told to fail for now: ${payload.account}`);
        const write = creditAccount(payload);
        const condition = { expression: 'attribute_exists(#never)', names: { '#never': 'never' } };
        return {
          writes: [payload.conditionFails ? { ...write, condition } : write],
          result: { credited: payload.amount },
        };
      },
    }),
  );
