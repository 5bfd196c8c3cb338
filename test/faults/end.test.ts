import { expect } from 'vitest';
import { cleanLooksNeeded } from '#core/control.ts';
import { everyFault, scenario } from '#test/support/faults/every-fault.ts';
import { deadJob, hangingDelivery, messageOf } from '#test/support/faults/histories.ts';
import type { Asked, Lab } from '#test/support/faults/lab.ts';
import { deliver } from '#test/support/faults/poller.ts';
import { reconcileLater } from '#test/support/faults/settle.ts';

/* Cancel, discard, close and drain. */

const isOneOf =
  (...states: string[]) =>
  async (lab: Lab, asked: Asked) => {
    expect((await lab.job(asked))?.state).toBeOneOf(states);
  };

await everyFault([
  scenario({
    name: 'cancel a queued job',
    reaches: ['cancelled'],
    prepare: (lab) => lab.accepted({ padding: 'x'.repeat(600) }),
    act: async (lab, asked) => {
      const answer = await lab.cancel(asked);
      if (answer.kind !== 'answered') await lab.cancel(asked);
      await deliver(lab);
    },
    check: isOneOf('cancelled'),
  }),
  scenario({
    name: 'cancel a running job',
    reaches: ['cancelled'],
    prepare: (lab) => lab.accepted({ held: true }),
    act: async (lab, asked) => {
      const delivery = await hangingDelivery(lab);
      await lab.cancel(asked);
      lab.gate.open();
      await delivery?.done;
    },
    // Where the request or the start did not get through, the job may end as it would have.
    check: isOneOf('cancelled', 'succeeded'),
  }),
  scenario({
    name: 'discard a dead job and a stray',
    reaches: ['discarded'],
    prepare: async (lab) => {
      const asked = await deadJob(lab);
      await lab.sendRaw('not ours');
      await deliver(lab);
      return asked;
    },
    act: async (lab) => {
      await lab.discard({ filter: {} });
      await lab.discard({ filter: {} });
      lab.clock.advance(lab.world.limits.reconcilerPeriodSeconds);
      await lab.reconcile();
    },
    check: async (lab, asked) => {
      await isOneOf('discarded')(lab, asked);
      // Both letters were superseded by the discard, and the sweep has deleted them.
      expect(await lab.letters()).toEqual([]);
    },
  }),
  scenario({
    name: 'close and drain',
    reaches: ['succeeded', 'none'],
    limits: { capacity: 40 },
    prepare: (lab) => lab.accepted(),
    act: async (lab) => {
      const closed = await lab.changeIntake('closed', 'drain');
      const more = await lab.submit(lab.request());
      // G9: no slot is taken once close has answered.
      if (closed.kind === 'answered' && more.kind === 'answered') expect(more.value.kind).toBe('refused');
      await deliver(lab);
      lab.clock.advance(lab.world.limits.reconcilerPeriodSeconds);
      await lab.reconcile();
      lab.clock.advance(lab.world.limits.reconcilerPeriodSeconds);
      await lab.reconcile();
    },
    check: async (lab, asked) => {
      await isOneOf('succeeded')(lab, asked);
      for (let look = 0; look < cleanLooksNeeded; look += 1) await reconcileLater(lab);
      const control = await lab.world.slots.readControl();
      // A close that never began has changed nothing; every other is carried to its end.
      expect(control).toMatchObject(control?.version === 1 ? { intake: 'open' } : { intake: 'drained' });
    },
  }),
  scenario({
    name: 'close and cancel',
    reaches: ['cancelled'],
    prepare: (lab) => lab.accepted(),
    act: async (lab, asked) => {
      await lab.changeIntake('closed', 'cancel');
      await lab.sendRaw(messageOf(asked));
      await deliver(lab);
    },
    check: isOneOf('cancelled', 'succeeded'),
  }),
]);
