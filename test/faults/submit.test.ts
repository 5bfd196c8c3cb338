import { expect } from 'vitest';
import { SlotView } from '#flow/slot-view.ts';
import { peek } from '#test/support/faults/clients.ts';
import { everyFault, scenario } from '#test/support/faults/every-fault.ts';
import { messageOf, unsentJob } from '#test/support/faults/histories.ts';
import type { Asked, Lab } from '#test/support/faults/lab.ts';

const padding = 'x'.repeat(600);

/** G2: who was told that the job is taken in, or that it was before, may rely on its message. */
const submitted = async (lab: Lab, asked: Asked, view?: SlotView) => {
  const answer = await lab.submit(asked, view);
  if (answer.kind !== 'answered' || answer.value.kind === 'refused') return;
  const bodies = (await peek(lab.resources.queueUrl)).map((message) => message.body);
  expect(bodies).toContain(messageOf(asked));
};

await everyFault([
  scenario({
    name: 'accept, the first of all',
    reaches: ['queued'],
    act: async (lab) => {
      await submitted(lab, lab.request());
    },
    askAgain: (lab) => lab.asked,
  }),
  scenario({
    name: 'accept a payload that lies apart',
    reaches: ['queued'],
    prepare: (lab) => lab.openForUse(),
    act: async (lab) => {
      await submitted(lab, lab.request({ padding }));
    },
    askAgain: (lab) => lab.asked,
  }),
  scenario({
    name: 'replay',
    reaches: ['queued'],
    prepare: (lab) => lab.accepted(),
    act: async (lab, asked) => {
      await submitted(lab, asked);
    },
    askAgain: (lab) => lab.asked,
    check: async (lab, asked) => {
      expect((await lab.job(asked))?.state).toBe('succeeded');
    },
  }),
  scenario({
    name: 'replay on the instance that took the job in',
    reaches: ['queued'],
    prepare: async (lab) => {
      const view = new SlotView(lab.world);
      return { view, asked: await lab.accepted({}, view) };
    },
    act: async (lab, { view, asked }) => {
      await submitted(lab, asked, view);
    },
    askAgain: (lab) => lab.asked,
    check: async (lab, { asked }) => {
      expect((await lab.job(asked))?.state).toBe('succeeded');
    },
  }),
  scenario({
    name: 'replay of a job that was not sent',
    reaches: ['queued'],
    prepare: (lab) => unsentJob(lab, { padding }),
    act: async (lab, asked) => {
      await submitted(lab, asked);
    },
    check: async (lab, asked) => {
      expect((await lab.job(asked))?.state).toBe('succeeded');
    },
  }),
  scenario({
    name: 'conflict',
    reaches: ['queued', 'queued'],
    prepare: (lab) => lab.accepted({ key: 'one-meaning' }),
    act: async (lab, asked) => {
      await lab.submit(lab.sameKey(asked));
    },
    check: async (lab, asked) => {
      expect(await lab.job(asked)).toMatchObject({ state: 'succeeded', fingerprint: asked.submission.fingerprint });
      for (const answer of lab.asked[1]?.answers ?? []) {
        if (answer.kind !== 'answered') continue;
        expect(answer.value).toMatchObject({ kind: 'refused' });
      }
    },
  }),
  scenario({
    name: 'full',
    reaches: ['queued', 'none'],
    limits: { capacity: 1 },
    prepare: (lab) => lab.accepted(),
    act: async (lab) => {
      await submitted(lab, lab.request());
    },
    check: async (lab) => {
      // A refusal does not use up the key: it is taken in as soon as there is room.
      const refused = lab.asked[1];
      if (refused === undefined) throw new Error('nothing was refused');
      for (const answer of refused.answers) {
        if (answer.kind === 'answered') expect(answer.value.kind).toBe('refused');
      }
      expect(await lab.job(refused)).toBeUndefined();
      expect(await lab.submit(refused)).toMatchObject({ value: { kind: 'accepted' } });
    },
  }),
]);
