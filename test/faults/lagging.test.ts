import type { BatchGetItemCommandOutput } from '@aws-sdk/client-dynamodb';
import { expect, it } from 'vitest';
import { deadJob, unsentJob } from '#test/support/faults/histories.ts';
import { answering, failing, inLab } from '#test/support/faults/in-lab.ts';
import type { Lab } from '#test/support/faults/lab.ts';
import { deliver } from '#test/support/faults/poller.ts';
import { reconcileLater } from '#test/support/faults/settle.ts';

/*
 * Reads that are cut short, an index and counts that lag behind, a mapping between two states: what the emulator never
 * shows.
 */

it.concurrent('keys that a batch read leaves unprocessed are asked for again', () =>
  inLab(async (lab) => {
    const asked = await unsentJob(lab);
    answering<BatchGetItemCommandOutput>(
      lab,
      /reconcile 1 › BatchGetItem/,
      (output) => ({
        ...output,
        Responses: {},
        UnprocessedKeys: { [lab.resources.jobsTableName]: { Keys: keysOf(lab, output), ConsistentRead: true } },
      }),
      3,
    );
    const ran = await lab.reconcile();
    expect(ran).toMatchObject({ value: { ran: true, failed: 0, repaired: { 'resend-unsent': 1 } } });
    await deliver(lab);
    expect((await lab.job(asked))?.state).toBe('succeeded');
  }));

/** The keys of what was answered, as if nothing of it had come. */
const keysOf = (lab: Lab, output: BatchGetItemCommandOutput) =>
  (output.Responses?.[lab.resources.jobsTableName] ?? []).flatMap(({ id }) => (id === undefined ? [] : [{ id }]));

it.concurrent('keys that stay unprocessed fail that part of the run, and the next one makes it good', () =>
  inLab(async (lab) => {
    const asked = await unsentJob(lab);
    // The second batch read of a run is the one of the job records; the first are the shards.
    const cut = answering<BatchGetItemCommandOutput>(lab, /reconcile 1 › BatchGetItem [2-6]$/, (output) => ({
      ...output,
      Responses: {},
      UnprocessedKeys: {
        [lab.resources.jobsTableName]: { Keys: [{ id: { S: asked.submission.id } }], ConsistentRead: true },
      },
    }));
    expect(await lab.reconcile()).toMatchObject({ value: { ran: true, failed: 1, repaired: {} } });
    cut.end();
    await reconcileLater(lab);
    expect((await lab.job(asked))?.unsent).toBeUndefined();
  }));

it.concurrent('G7: an index that lags behind shows a dead job later, and never one that was redriven', () =>
  inLab(async (lab) => {
    const asked = await deadJob(lab);
    const query = { filter: {}, limit: 10, order: 'newest-first', strays: true } as const;
    const seen = await lab.world.store.listDead(query);
    expect(seen.entries.map((entry) => entry.kind === 'job' && entry.job.id)).toEqual([asked.submission.id]);
    // The index does not have it yet.
    const behind = answering<{ Items?: unknown[] }>(lab, /redrive 1 › Query/, (output) => ({ ...output, Items: [] }));
    expect(await lab.redrive({ filter: {} })).toMatchObject({ value: { examined: 0, moved: 0, stoppedBy: 'end' } });
    behind.end();
    expect(await lab.redrive({ filter: {} })).toMatchObject({ value: { moved: 1 } });
    // The index still has it: what the table says counts.
    const entry = {
      id: { S: asked.submission.id },
      diedAt: { N: '1' },
      reasonCode: { S: 'permanent-error' },
      type: { S: 'test.faulty' },
    };
    let told = false;
    answering<{ Items?: unknown[] }>(lab, /redrive 3 › Query/, (output) => {
      const Items = told ? [] : [entry];
      told = true;
      return { ...output, Items };
    });
    expect(await lab.redrive({ filter: {} })).toMatchObject({ value: { moved: 0, skipped: [] } });
    expect(await lab.job(asked)).toMatchObject({ redrives: 1 });
  }));

const counts = (visible: number) => (output: { Attributes?: Record<string, string> }) => ({
  ...output,
  Attributes: {
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: '0',
    ApproximateNumberOfMessagesDelayed: '0',
  },
});

it.concurrent('G4: counts that lag behind refuse for a moment, give the slot back, and use up no key', () =>
  inLab(
    async (lab) => {
      await lab.openForUse();
      const asked = lab.request();
      const lag = answering(lab, /GetQueueAttributes/, counts(6));
      expect(await lab.submit(asked)).toMatchObject({ value: { kind: 'refused', problem: { code: 'queue-full' } } });
      lag.end();
      expect(await lab.submit(asked)).toMatchObject({ value: { kind: 'accepted' } });
    },
    { capacity: 5 },
  ));

it.concurrent('G1: counts that lag behind the other way let nobody in beyond the slots', () =>
  inLab(
    async (lab) => {
      answering(lab, /GetQueueAttributes/, counts(0));
      await lab.accepted();
      expect(await lab.submit(lab.request())).toMatchObject({ value: { problem: { code: 'queue-full' } } });
    },
    { capacity: 1 },
  ));

it.concurrent('G6: counts that lag behind postpone a resend, within their bound', () =>
  inLab(async (lab) => {
    const asked = await unsentJob(lab, { marked: false });
    const { visibilitySeconds, resendPatienceSeconds, resendBacklogPostponeSeconds } = lab.world.limits;
    const lag = answering(lab, /GetQueueAttributes/, counts(50));
    lab.clock.advance(visibilitySeconds + resendPatienceSeconds + 1);
    expect(await lab.reconcile()).toMatchObject({ value: { repaired: {} } });
    lab.clock.advance(resendBacklogPostponeSeconds);
    expect(await lab.reconcile()).toMatchObject({ value: { repaired: { 'resend-missing': 1 } } });
    lag.end();
    await deliver(lab);
    expect((await lab.job(asked))?.state).toBe('succeeded');
  }));

it.concurrent.each(['Disabling', 'Disabled'])('a consumer that is %s explains a missing message', (State) =>
  inLab(async (lab) => {
    await unsentJob(lab, { marked: false });
    const mapping = answering(lab, /GetEventSourceMapping/, (output: object) => ({ ...output, State }));
    const patienceSeconds = lab.world.limits.visibilitySeconds + lab.world.limits.resendPatienceSeconds + 1;
    lab.clock.advance(patienceSeconds);
    expect(await lab.reconcile()).toMatchObject({ value: { repaired: {} } });
    mapping.end();
    // From when the consumer was last seen paused, it has its time like any other.
    expect(await lab.reconcile()).toMatchObject({ value: { repaired: {} } });
    lab.clock.advance(patienceSeconds);
    expect(await lab.reconcile()).toMatchObject({ value: { repaired: { 'resend-missing': 1 } } });
  }),
);

it.concurrent.each([
  ['Enabling', 'resuming'],
  ['Updating', 'resuming'],
  ['Disabling', 'pausing'],
])('a mapping that is %s is %s, and a change in the middle of it is answered with that', (State, state) =>
  inLab(async (lab) => {
    answering(lab, /GetEventSourceMapping/, (output: object) => ({ ...output, State }));
    const busy = () => Object.assign(new Error('in transition'), { name: 'ResourceInUseException', $metadata: {} });
    failing(lab, /UpdateEventSourceMapping/, busy);
    const wanted = state === 'pausing' ? 'running' : 'paused';
    expect(await lab.actor('operator', () => lab.world.consumer.state())).toMatchObject({ value: state });
    expect(await lab.actor('operator', () => lab.world.consumer.set(wanted))).toMatchObject({ value: state });
  }),
);
