import { expect } from 'vitest';
import { everyFault, scenario } from '#test/support/faults/every-fault.ts';
import { deadJob } from '#test/support/faults/histories.ts';
import { deliver } from '#test/support/faults/poller.ts';

await everyFault([
  scenario({
    name: 'redrive by id, then run',
    reaches: ['succeeded'],
    prepare: (lab) => deadJob(lab),
    act: async (lab, asked) => {
      await lab.redrive({ ids: [asked.submission.id] });
      await deliver(lab);
    },
    check: async (lab, asked) => {
      // A redrive that did not get through leaves the job as it was; the operator repeats it.
      const job = await lab.job(asked);
      if (job?.state === 'dead') expect(job.redrives).toBe(0);
      else expect(job).toMatchObject({ state: 'succeeded', redrives: 1, tenure: 1 });
    },
  }),
  scenario({
    name: 'redrive by filter, and again',
    reaches: ['queued'],
    prepare: (lab) => deadJob(lab),
    act: async (lab) => {
      await lab.redrive({ filter: { reason: 'permanent-error' } });
      await lab.redrive({ filter: { reason: 'permanent-error' } });
    },
    check: async (lab, asked) => {
      expect(await lab.job(asked)).toMatchObject({ state: 'succeeded', redrives: 1, tenure: 1 });
    },
  }),
  scenario({
    name: 'lower the capacity below what is in flight',
    reaches: ['queued', 'queued', 'queued', 'none'],
    limits: { capacity: 4 },
    prepare: async (lab) => {
      for (let n = 0; n < 3; n += 1) await lab.accepted();
    },
    act: async (lab) => {
      const changed = await lab.changeCapacity(2);
      const more = await lab.submit(lab.request());
      // G1: the new capacity is in force once its call has answered.
      if (changed.kind === 'answered' && more.kind === 'answered') {
        expect(more.value).toMatchObject({ kind: 'refused' });
      }
    },
  }),
  scenario({
    name: 'raise the capacity by a shard',
    reaches: ['queued', 'queued', 'queued'],
    limits: { capacity: 2 },
    prepare: async (lab) => {
      for (let n = 0; n < 2; n += 1) await lab.accepted();
    },
    act: async (lab) => {
      const changed = await lab.changeCapacity(40);
      const more = await lab.submit(lab.request());
      if (changed.kind === 'answered' && more.kind === 'answered' && more.value.kind === 'refused') {
        expect(more.value.problem.code).toBe('unavailable');
      }
    },
  }),
  scenario({
    name: 'the reconciler deals out what fits again',
    reaches: ['succeeded', 'succeeded', 'succeeded'],
    limits: { capacity: 4 },
    prepare: async (lab) => {
      for (let n = 0; n < 3; n += 1) await lab.accepted();
      await lab.changeCapacity(2);
      await deliver(lab);
    },
    act: async (lab) => {
      await lab.reconcile();
    },
  }),
]);
