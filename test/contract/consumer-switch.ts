import { describe, expect, it } from 'vitest';
import type { SwitchUnderTest } from './subjects.ts';

/** What every ConsumerSwitch must do. `make` gives each test one that is running. */
export const describeConsumerSwitch = (name: string, make: () => Promise<SwitchUnderTest>): void => {
  describe(`${name} as a ConsumerSwitch`, () => {
    it('pauses and resumes by way of its transitional states', async () => {
      const { consumer, settle } = await make();
      expect(await consumer.state()).toBe('running');
      expect(await consumer.set('paused')).toBeOneOf(['pausing', 'paused']);
      await settle();
      expect(await consumer.state()).toBe('paused');
      expect(await consumer.set('running')).toBeOneOf(['resuming', 'running']);
      await settle();
      expect(await consumer.state()).toBe('running');
    });

    it('stays as it is when that is what is wanted', async () => {
      const { consumer, settle } = await make();
      expect(await consumer.set('running')).toBe('running');
      await consumer.set('paused');
      await settle();
      expect(await consumer.set('paused')).toBe('paused');
    });

    it('answers in the middle of a change with the state that it is in', async () => {
      const { consumer } = await make();
      await consumer.set('paused');
      const middle = await consumer.state();
      if (middle === 'pausing') expect(await consumer.set('running')).toBe('pausing');
      else expect(middle).toBe('paused');
    });
  });
};
