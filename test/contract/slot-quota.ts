import { describe, expect, it } from 'vitest';
import type { Control, Drain } from '#core/control.ts';
import { makeToken, type Slot } from '#core/slot.ts';
import { t0 } from '#test/support/core/jobs.ts';
import { count, identity, type RegistryUnderTest, slotOf } from './subjects.ts';

const control: Control = { version: 4, capacity: 40, shards: 2, intake: 'draining', dealtVersion: 4 };
const drain: Drain = { mode: 'cancel', actor: 'a/b', until: t0, cleanLooks: 1 };

let made = 0;
/** A token of this tenant, whose tag is the first six digits of the nonce. */
const of = (tag: string): Slot => {
  made += 1;
  return { shard: 0, token: makeToken(identity().id, tag + made.toString(16).padStart(6, '0'), t0) };
};

/** Drains, several slots at once, and tenants' shares of a shard. */
export const describeQuotas = (make: () => Promise<RegistryUnderTest>): void => {
  const withShard = async (cap: number, open = true) => {
    const subject = await make();
    await subject.registry.createShard({ index: 0, open, cap, version: 1 });
    const members = async () => (await subject.registry.readShards([0]))[0]?.members.toSorted();
    return { ...subject, members };
  };

  describe('a drain', () => {
    it('is kept with the control item, and noted on for the version in force alone', async () => {
      const { registry } = await make();
      await registry.createControl({ ...control, drain: { ...drain, cleanLooks: 0 } });
      expect((await registry.readControl())?.drain).toEqual({ ...drain, cleanLooks: 0 });
      expect(await registry.noteDrain(3, 'drained', drain)).toBe(false);
      expect(await registry.noteDrain(4, 'drained', drain)).toBe(true);
      expect(await registry.readControl()).toEqual({ ...control, intake: 'drained', drain });
    });
  });

  describe('takeMany', () => {
    it('takes all or none', async () => {
      const { registry, members } = await withShard(3);
      const slots = [1, 2].map(() => slotOf(identity().id));
      const tokens = slots.map(({ token }) => token);
      expect(await registry.takeMany(0, tokens, 3)).toBe('taken');
      expect(await members()).toEqual(tokens.toSorted());
      const more = [1, 2].map(() => slotOf(identity().id).token);
      expect(await registry.takeMany(0, more, 3)).toBe('moved');
      expect(await members()).toEqual(tokens.toSorted());
      expect(await registry.takeMany(0, more.slice(0, 1), 3)).toBe('taken');
    });

    it.each([
      ['another cap than was read', 4, true],
      ['a closed shard', 3, false],
    ])('takes none from %s', async (_, readCap, open) => {
      const { registry, members } = await withShard(3, open);
      expect(await registry.takeMany(0, [slotOf(identity().id).token], readCap)).toBe('moved');
      expect(await members()).toEqual([]);
    });

    it('recognises its own tokens when the first answer was lost', async () => {
      const { repeating, members } = await withShard(2);
      const tokens = [1, 2].map(() => slotOf(identity().id).token);
      expect(await repeating().takeMany(0, tokens, 2)).toBe('taken');
      expect(await members()).toEqual(tokens.toSorted());
    });
  });

  describe('a tenant’s share', () => {
    it('is full for one tenant while others get in, and frees with its tokens', async () => {
      const { registry } = await withShard(10);
      const mine = [of('aaaaaa'), of('aaaaaa'), of('aaaaaa')] as const;
      expect(await registry.take(mine[0], 2)).toBe('taken');
      expect(await registry.take(mine[1], 2)).toBe('taken');
      expect(await registry.take(mine[2], 2)).toBe('tenant-full');
      expect(await registry.take(mine[1], 2)).toBe('taken');
      expect(await registry.take(of('bbbbbb'), 2)).toBe('taken');
      await registry.free(0, [mine[0].token]);
      expect(await registry.take(mine[2], 2)).toBe('taken');
    });

    it('of nothing on this shard asks nothing, and a full shard is full before it is anybody’s share', async () => {
      const { registry } = await withShard(1);
      expect(await registry.take(of('aaaaaa'), 0)).toBe('tenant-full');
      expect(await registry.take(of('aaaaaa'), 1)).toBe('taken');
      expect(await registry.take(of('aaaaaa'), 1)).toBe('full');
    });

    it('lets exactly the share in of a crowd', async () => {
      const { registry } = await withShard(32);
      const answers = await Promise.all(Array.from({ length: 40 }, () => registry.take(of('cccccc'), 5)));
      expect([count(answers, 'taken'), count(answers, 'tenant-full')]).toEqual([5, 35]);
    });
  });
};
