import { type CancellationReason, TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { throttling } from '#test/support/faults/fault.ts';
import { failing, inLab } from '#test/support/faults/in-lab.ts';
import type { AskOptions } from '#test/support/faults/job.ts';
import type { Lab } from '#test/support/faults/lab.ts';
import { deliver } from '#test/support/faults/poller.ts';
import { reconcileLater } from '#test/support/faults/settle.ts';

/* Contention of transactions and throttling that lasts: what the emulator never does. */

const none: CancellationReason = { Code: 'None' };
const conflict: CancellationReason = { Code: 'TransactionConflict' };
const refused: CancellationReason = { Code: 'ConditionalCheckFailed' };
const tooFast: CancellationReason = { Code: 'ThrottlingError' };

const cancelled = (...CancellationReasons: CancellationReason[]) =>
  new TransactionCanceledException({ message: 'said the test', $metadata: {}, CancellationReasons });

/** A job that is started and meets these errors at its finish, once each. */
const finishMeets = async (lab: Lab, errors: readonly (() => Error)[], options: AskOptions = {}) => {
  const asked = await lab.accepted(options);
  for (const error of errors) failing(lab, /TransactWriteItems/, error, 1);
  await deliver(lab);
  const job = await lab.job(asked);
  if (job === undefined) throw new Error('the job is gone');
  return { asked, job };
};

it.concurrent.each([
  ['in the job record', cancelled(conflict, none)],
  ['in the ledger', cancelled(none, conflict)],
  ['in both', cancelled(conflict, conflict)],
  ['beside throttling', cancelled(tooFast, conflict)],
])('G5: a conflict of transactions %s costs a moment and no attempt', (_where, error) =>
  inLab(async (lab) => {
    const { job } = await finishMeets(lab, [() => error, () => error, () => error]);
    expect(job).toMatchObject({ state: 'succeeded', attempt: 1, starts: 1 });
  }),
);

it.concurrent('G5: conflicts that last until the lease ends make a retry that burns no attempt', () =>
  inLab(async (lab) => {
    const asked = await lab.accepted();
    const conflicts = failing(lab, /TransactWriteItems/, () => cancelled(none, conflict));
    await deliver(lab);
    conflicts.end();
    expect(await lab.job(asked)).toMatchObject({ state: 'retrying', attempt: 0, starts: 1 });
    await deliver(lab);
    expect(await lab.job(asked)).toMatchObject({ state: 'succeeded', attempt: 1, starts: 2 });
  }));

it.concurrent('G3: our own condition is judged before a conflict beside it: the fenced worker writes nothing', () =>
  inLab(async (lab) => {
    const { asked, job } = await finishMeets(lab, [() => cancelled({ ...refused }, conflict)]);
    expect(job).toMatchObject({ state: 'running' });
    expect((await lab.effects()).get(asked.account)).toBeUndefined();
    expect(lab.recorder.count('FenceRejected')).toBe(1);
  }));

it.concurrent("a failed condition of the handler's write is judged before a conflict beside it", () =>
  inLab(async (lab) => {
    const { job } = await finishMeets(lab, [() => cancelled(conflict, refused)]);
    expect(job).toMatchObject({ state: 'dead', reason: { code: 'permanent-error' } });
  }));

it.concurrent('a conflict while a payload gets its TTL is an unclear answer, and the next run ends the job', () =>
  inLab(async (lab) => {
    const asked = await lab.accepted({ padding: 'x'.repeat(600), options: { deadlineSeconds: 10 } });
    lab.clock.advance(11);
    failing(lab, /reconcile 1 › TransactWriteItems/, () => cancelled(none, conflict), 1);
    await lab.reconcile();
    expect((await lab.job(asked))?.state).toBe('queued');
    await reconcileLater(lab);
    expect((await lab.job(asked))?.state).toBe('expired');
  }));

it.concurrent('G5: throttling of the finish that lasts costs no attempt', () =>
  inLab(async (lab) => {
    const asked = await lab.accepted();
    const throttled = failing(lab, /TransactWriteItems/, () => throttling('TransactWriteItems'));
    await deliver(lab);
    throttled.end();
    expect(await lab.job(asked)).toMatchObject({ state: 'retrying', attempt: 0 });
  }));

it.concurrent.each(['UpdateItem', 'PutItem', 'SendMessage'])(
  'G2: %s is throttled in each try: 503, and the same key leads to one job',
  (command) =>
    inLab(async (lab) => {
      await lab.openForUse();
      const asked = lab.request();
      const throttled = failing(lab, new RegExp(`› ${command}`), () => throttling(command));
      expect(await lab.submit(asked)).toMatchObject({
        value: { kind: 'refused', problem: { code: 'unavailable', retryAfterSeconds: expect.any(Number) } },
      });
      throttled.end();
      expect(await lab.submit(asked)).toMatchObject({ value: { kind: expect.stringMatching(/accepted|replayed/) } });
    }),
);
