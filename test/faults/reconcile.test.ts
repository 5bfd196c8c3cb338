import { expect } from 'vitest';
import { everyFault, scenario } from '#test/support/faults/every-fault.ts';
import { deadJob, lostJob, messageOf, moveToDeadLetters, unsentJob, without } from '#test/support/faults/histories.ts';
import type { Asked, Lab } from '#test/support/faults/lab.ts';
import { deliver } from '#test/support/faults/poller.ts';

const endsAs = (state: string) => async (lab: Lab, asked: Asked) => {
  expect((await lab.job(asked))?.state).toBe(state);
};

/** A run on schedule, which may break: the next one is part of what settles. */
const oneRun = async (lab: Lab) => {
  await lab.reconcile();
};

const later = (lab: Lab) => lab.clock.advance(lab.world.limits.reconcilerPeriodSeconds);

await everyFault([
  scenario({
    name: 'recover a lost worker, then run',
    reaches: ['succeeded'],
    prepare: (lab) => lostJob(lab),
    act: async (lab) => {
      await lab.reconcile();
      await deliver(lab);
    },
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'a consumer takes over from a lost worker',
    reaches: ['succeeded'],
    prepare: (lab) => lostJob(lab),
    act: async (lab) => {
      await deliver(lab);
    },
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'bury the job of the third lost worker',
    reaches: ['dead'],
    prepare: (lab) => lostJob(lab, {}, 3),
    act: async (lab) => {
      await lab.reconcile();
      await deliver(lab);
    },
    check: endsAs('dead'),
  }),
  scenario({
    name: 'expire',
    reaches: ['expired'],
    prepare: async (lab) => {
      const asked = await lab.accepted({ options: { deadlineSeconds: 10 }, padding: 'x'.repeat(600) });
      lab.clock.advance(11);
      return asked;
    },
    act: oneRun,
    check: endsAs('expired'),
  }),
  scenario({
    name: 'send again what was marked as not sent',
    reaches: ['queued'],
    prepare: (lab) => unsentJob(lab),
    act: oneRun,
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'send again what is missing',
    reaches: ['queued'],
    prepare: async (lab) => {
      const asked = await unsentJob(lab, { marked: false });
      lab.clock.advance(lab.world.limits.visibilitySeconds + lab.world.limits.resendPatienceSeconds + 1);
      return asked;
    },
    act: oneRun,
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'free the slot of an ended job',
    reaches: ['succeeded'],
    prepare: async (lab) => {
      const asked = await lab.accepted();
      await without(lab, /consume 1 › UpdateItem 2/, () => deliver(lab));
      return asked;
    },
    act: async (lab) => {
      await lab.reconcile();
      later(lab);
      await lab.reconcile();
    },
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'free a slot that no record carries',
    reaches: ['none'],
    prepare: async (lab) => {
      await lab.openForUse();
      const asked = lab.request({ padding: 'x'.repeat(600) });
      await without(lab, /submit 1 › PutItem 2/, () => lab.submit(asked));
      lab.clock.advance(lab.world.limits.orphanTokenSeconds + 2);
      return asked;
    },
    act: oneRun,
    check: async (lab, asked) => {
      expect(await lab.job(asked)).toBeUndefined();
    },
  }),
  scenario({
    name: 'give up a job that comes back again and again',
    reaches: ['dead'],
    prepare: async (lab) => {
      const asked = await lab.accepted();
      for (let n = 0; n < lab.world.limits.returnsMax; n += 1) {
        await moveToDeadLetters(lab);
        lab.clock.advance(lab.world.limits.reconcilerPeriodSeconds);
        await lab.reconcile();
      }
      return asked;
    },
    act: async (lab) => {
      later(lab);
      await lab.reconcile();
      await deliver(lab);
    },
    check: async (lab, asked) => {
      // Where the run broke, the message that the last one sent reaches a consumer after all.
      const job = await lab.job(asked);
      if (job?.state !== 'succeeded') expect(job).toMatchObject({ state: 'dead', reason: { code: 'never-started' } });
    },
  }),
  scenario({
    name: 'sweep',
    reaches: ['dead', 'succeeded', 'queued'],
    prepare: async (lab) => {
      const dead = await deadJob(lab);
      const done = await lab.accepted();
      await deliver(lab);
      const waiting = await lab.accepted();
      await moveToDeadLetters(lab);
      for (const body of [messageOf(done), 'not ours']) await lab.sendRaw(body, lab.resources.deadLetterQueueUrl);
      later(lab);
      return { dead, done, waiting };
    },
    act: oneRun,
    check: async (lab, { dead, done, waiting }) => {
      await endsAs('dead')(lab, dead);
      await endsAs('succeeded')(lab, done);
      await endsAs('succeeded')(lab, waiting);
      expect(await lab.letters()).toEqual([messageOf(dead), 'not ours'].toSorted());
    },
  }),
]);
