import { expect } from 'vitest';
import { everyFault, scenario } from '#test/support/faults/every-fault.ts';
import { hangingDelivery, messageOf } from '#test/support/faults/histories.ts';
import type { Asked, Lab } from '#test/support/faults/lab.ts';
import { deliver } from '#test/support/faults/poller.ts';

const padding = 'x'.repeat(600);

const endsAs = (state: string, code?: string) => async (lab: Lab, asked: Asked) => {
  const job = await lab.job(asked);
  expect(job?.state).toBe(state);
  if (code !== undefined) expect(job).toMatchObject({ reason: { code } });
};

const deliveries = (n: number) => async (lab: Lab) => {
  for (let i = 0; i < n; i += 1) await deliver(lab);
};

await everyFault([
  scenario({
    name: 'run',
    reaches: ['succeeded'],
    prepare: (lab) => lab.accepted(),
    act: deliveries(1),
    // A worker that is lost three times would be another fault each time; one is always made good.
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'run with a payload that lies apart',
    reaches: ['succeeded'],
    prepare: (lab) => lab.accepted({ padding }),
    act: deliveries(1),
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'retry',
    reaches: ['succeeded'],
    prepare: (lab) => lab.accepted({ failStarts: 1 }),
    act: deliveries(2),
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'die by attempts',
    reaches: ['dead'],
    prepare: (lab) => lab.accepted({ failStarts: 99 }),
    act: deliveries(4),
    check: async (lab, asked: Asked) => {
      await endsAs('dead')(lab, asked);
      // A fault may make a lost worker of the last attempt.
      expect(await lab.job(asked)).toMatchObject({ reason: { code: expect.stringMatching(/exhausted|worker-lost/) } });
    },
  }),
  scenario({
    name: 'bury a permanent error',
    reaches: ['dead'],
    prepare: (lab) => lab.accepted({ permanentStarts: 99 }),
    act: deliveries(1),
    check: endsAs('dead', 'permanent-error'),
  }),
  scenario({
    name: 'bury a failed condition of the handler',
    reaches: ['dead'],
    prepare: (lab) => lab.accepted({ conditionFails: true }),
    act: deliveries(1),
    check: endsAs('dead', 'permanent-error'),
  }),
  scenario({
    name: 'bury strays',
    reaches: ['succeeded'],
    prepare: async (lab) => {
      const asked = await lab.accepted();
      await deliver(lab);
      const forged = messageOf({ ...asked, submission: { ...asked.submission, fingerprint: 'f'.repeat(64) } });
      const unknown = messageOf({ ...asked, submission: { ...asked.submission, id: '0'.repeat(32) } });
      const bodies = ['not ours at all', unknown, forged];
      for (const body of bodies) await lab.sendRaw(body);
      return { asked, bodies };
    },
    act: deliveries(1),
    check: async (lab, { asked, bodies }) => {
      await endsAs('succeeded')(lab, asked);
      expect(await lab.letters()).toEqual(bodies.toSorted());
      const query = { filter: {}, limit: 10, order: 'newest-first', strays: true } as const;
      const { entries } = await lab.world.store.listDead(query);
      expect(entries.map((entry) => entry.kind === 'stray' && entry.stray.reason).toSorted()).toEqual([
        'forged',
        'unknown-job',
        'unreadable',
      ]);
    },
  }),
  scenario({
    name: 'a second copy meets the running job, and then the finished one',
    reaches: ['succeeded'],
    prepare: (lab) => lab.accepted({ held: true }),
    act: async (lab, asked) => {
      const first = await hangingDelivery(lab);
      await lab.sendRaw(messageOf(asked));
      await deliver(lab);
      lab.gate.open();
      await first?.done;
      await deliver(lab);
    },
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'a worker that was given up ends late',
    reaches: ['succeeded'],
    prepare: (lab) => lab.accepted({ held: true }),
    act: async (lab, asked) => {
      const first = await hangingDelivery(lab);
      lab.clock.advanceOverFrozen(lab.world.limits.visibilitySeconds);
      await lab.sendRaw(messageOf(asked));
      await deliver(lab);
      lab.gate.open();
      await first?.done;
      // Only where both came as far as their end, the late one was refused, and counted.
      if (lab.recorder.count('FenceRejected') === 0) expect(lab.story.join()).toMatch(/sent|lost|ends/);
    },
    check: endsAs('succeeded'),
  }),
  scenario({
    name: 'a consumer meets a deadline that has passed',
    reaches: ['expired'],
    prepare: async (lab) => {
      const asked = await lab.accepted({ options: { deadlineSeconds: 10 } });
      lab.clock.advance(11);
      return asked;
    },
    act: deliveries(1),
    check: endsAs('expired'),
  }),
]);
