import { describe, expect, it } from 'vitest';
import { mayTake } from '#core/admission.ts';
import type { Control } from '#core/control.ts';
import { makeToken, type Shard, type Slot } from '#core/slot.ts';
import { t0 } from '#test/support/core/jobs.ts';
import { describeQuotas } from './slot-quota.ts';
import { count, identity, type RegistryUnderTest, slotOf } from './subjects.ts';

const first: Control = { version: 1, capacity: 40, shards: 2, intake: 'open', dealtVersion: 0 };
const empty: Omit<Shard, 'members'> = { index: 0, open: true, cap: 2, version: 1 };

const slot = (shard = 0): Slot => slotOf(identity().id, shard);
const tokens = (...slots: readonly Slot[]): readonly string[] => slots.map(({ token }) => token).toSorted();

/** What every SlotRegistry must do. `make` gives each test an empty registry. */
export const describeSlotRegistry = (name: string, make: () => Promise<RegistryUnderTest>): void => {
  const withShard = async (over: Partial<Shard> = {}) => {
    const subject = await make();
    await subject.registry.createShard({ ...empty, ...over });
    const members = async () => (await subject.registry.readShards([over.index ?? 0]))[0]?.members.toSorted();
    return { ...subject, members };
  };

  describe(`${name} as a SlotRegistry`, () => {
    describeQuotas(make);

    describe('control', () => {
      it('is absent at first, and created once', async () => {
        const { registry } = await make();
        expect(await registry.readControl()).toBeUndefined();
        await registry.createControl(first);
        await registry.createControl({ ...first, capacity: 7 });
        expect(await registry.readControl()).toEqual(first);
      });

      it('is changed from the version before alone', async () => {
        const { registry } = await make();
        const next: Control = { ...first, version: 2, intake: 'closed', capacity: 9 };
        expect(await registry.changeControl(next)).toBe(false);
        expect(await registry.readControl()).toBeUndefined();
        await registry.createControl(first);
        expect(await registry.changeControl({ ...next, version: 1 })).toBe(false);
        expect(await registry.changeControl({ ...next, version: 3 })).toBe(false);
        expect(await registry.changeControl(next)).toBe(true);
        expect(await registry.readControl()).toEqual(next);
      });

      it('is changed by one of several', async () => {
        const { registry } = await make();
        await registry.createControl(first);
        const rivals = [1, 2, 3, 4].map((capacity): Control => ({ ...first, version: 2, capacity }));
        const results = await Promise.all(rivals.map((rival) => registry.changeControl(rival)));
        expect(count(results, true)).toBe(1);
        expect(await registry.readControl()).toEqual(rivals[results.indexOf(true)]);
      });

      it('recognises its own change when the first answer was lost', async () => {
        const { registry, repeating } = await make();
        await repeating().createControl(first);
        expect(await repeating().changeControl({ ...first, version: 2 })).toBe(true);
        expect(await registry.readControl()).toEqual({ ...first, version: 2 });
      });

      it('marks the version in force as dealt, and no other', async () => {
        const { registry } = await make();
        await registry.markDealt(1);
        expect(await registry.readControl()).toBeUndefined();
        await registry.createControl({ ...first, version: 5 });
        await registry.markDealt(4);
        await registry.markDealt(6);
        expect((await registry.readControl())?.dealtVersion).toBe(0);
        await registry.markDealt(5);
        expect(await registry.readControl()).toEqual({ ...first, version: 5, dealtVersion: 5 });
      });
    });

    describe('shards', () => {
      it('are created once and read in order, absent ones as undefined', async () => {
        const { registry } = await withShard({ index: 2, cap: 3 });
        await registry.createShard({ ...empty, index: 0, open: false });
        await registry.createShard({ ...empty, index: 2, cap: 9 });
        const zero = { ...empty, open: false, members: [] };
        const two = { ...empty, index: 2, cap: 3, members: [] };
        expect(await registry.readShards([2, 7, 0])).toEqual([two, undefined, zero]);
        expect(await registry.readShards([])).toEqual([]);
        const many = await registry.readShards(Array.from({ length: 130 }, (_, i) => i));
        expect(many.flatMap((shard, i) => (shard ? [i] : []))).toEqual([0, 2]);
      });

      it('keep their members when somebody creates them again', async () => {
        const { registry, members } = await withShard();
        const one = slot();
        await registry.take(one);
        await registry.createShard(empty);
        expect(await members()).toEqual(tokens(one));
      });
    });

    describe('take', () => {
      it('takes up to the cap, and not beyond', async () => {
        const { registry, members } = await withShard({ cap: 2 });
        const [a, b, c] = [slot(), slot(), slot()];
        expect(await registry.take(a)).toBe('taken');
        expect(await registry.take(b)).toBe('taken');
        expect(await registry.take(c)).toBe('full');
        expect(await members()).toEqual(tokens(a, b));
      });

      it('takes a token that is in there already, also when the shard is full', async () => {
        const { registry, members } = await withShard({ cap: 1 });
        const a = slot();
        expect(await registry.take(a)).toBe('taken');
        expect(await registry.take(a)).toBe('taken');
        expect(await members()).toEqual(tokens(a));
      });

      it('recognises its own token when the first answer was lost', async () => {
        const { repeating, members } = await withShard({ cap: 1 });
        const a = slot();
        expect(await repeating().take(a)).toBe('taken');
        expect(await members()).toEqual(tokens(a));
      });

      it.each([
        { cap: 0, open: true },
        { cap: 1, open: false },
        { cap: 0, open: false },
        { cap: 1, open: true },
      ])('answers as mayTake does on an empty shard: %j', async (over) => {
        const { registry, members } = await withShard(over);
        const a = slot();
        const expected = mayTake({ ...empty, ...over, members: [] }, a.token);
        expect(await registry.take(a)).toBe(expected ? 'taken' : over.open ? 'full' : 'closed');
        expect(await members()).toEqual(expected ? tokens(a) : []);
      });

      it('is closed before it is full, and keeps whom it has', async () => {
        const { registry, members } = await withShard({ cap: 1 });
        const [a, b] = [slot(), slot()];
        await registry.take(a);
        await registry.writeShard({ ...empty, cap: 1, open: false, version: 2 }, { cap: 1, version: 1 });
        expect(await registry.take(b)).toBe('closed');
        expect(await registry.take(a)).toBe('taken');
        expect(await members()).toEqual(tokens(a));
      });

      it('finds an absent shard absent, and makes none', async () => {
        const { registry } = await make();
        expect(await registry.take(slot(3))).toBe('absent');
        expect(await registry.readShards([3])).toEqual([undefined]);
      });

      it('lets exactly the cap in of a crowd', async () => {
        const { registry, members } = await withShard({ cap: 32 });
        const crowd = Array.from({ length: 40 }, () => slot());
        const results = await Promise.all(crowd.map((one) => registry.take(one)));
        expect(count(results, 'taken')).toBe(32);
        expect(count(results, 'full')).toBe(8);
        expect(await members()).toEqual(tokens(...crowd.filter((_, i) => results[i] === 'taken')));
      });
    });

    describe('free', () => {
      it('frees its tokens, twice without harm, and the room is there again', async () => {
        const { registry, members } = await withShard({ cap: 2 });
        const [a, b, c] = [slot(), slot(), slot()];
        await registry.take(a);
        await registry.take(b);
        await registry.free(0, [a.token, c.token, a.token]);
        await registry.free(0, [a.token]);
        expect(await members()).toEqual(tokens(b));
        expect(await registry.take(c)).toBe('taken');
        await registry.free(0, [b.token, c.token]);
        expect(await members()).toEqual([]);
        expect(await registry.take(a)).toBe('taken');
      });

      it('frees several at once whose jobs differ in nothing but the id', async () => {
        const { registry, members } = await withShard();
        const alike = (): Slot => ({ shard: 0, token: makeToken(identity().id, 'aaaaaa000000', t0) });
        const [a, b] = [alike(), alike()];
        await registry.take(a, 2);
        await registry.take(b, 2);
        await registry.free(0, [a.token, b.token]);
        expect(await members()).toEqual([]);
      });

      it('does nothing with no tokens, and makes no shard', async () => {
        const { registry, members } = await withShard();
        const a = slot();
        await registry.take(a);
        await registry.free(0, []);
        await registry.free(5, [a.token]);
        expect(await members()).toEqual(tokens(a));
        expect(await registry.readShards([5])).toEqual([undefined]);
      });

      it('frees from a closed shard too', async () => {
        const { registry, members } = await withShard();
        const a = slot();
        await registry.take(a);
        await registry.writeShard({ ...empty, open: false, cap: 0, version: 2 }, { cap: 2, version: 1 });
        await registry.free(0, [a.token]);
        expect(await members()).toEqual([]);
      });
    });

    describe('writeShard', () => {
      it('sets cap, open and version, and returns the members', async () => {
        const { registry } = await withShard();
        const a = slot();
        await registry.take(a);
        const next = { ...empty, cap: 0, open: false, version: 4 };
        const shard = { ...next, members: [a.token] };
        expect(await registry.writeShard(next, { cap: 2, version: 1 })).toEqual({ kind: 'written', shard });
        expect(await registry.readShards([0])).toEqual([shard]);
      });

      it('creates an absent shard', async () => {
        const { registry } = await make();
        const shard = { ...empty, index: 6, members: [] };
        const written = await registry.writeShard({ ...empty, index: 6 }, undefined);
        expect(written).toEqual({ kind: 'written', shard });
        expect(await registry.readShards([6])).toEqual([shard]);
      });

      it('yields to a newer version, and goes on within its own', async () => {
        const { registry } = await withShard({ version: 5, cap: 3 });
        expect(await registry.writeShard({ ...empty, cap: 8, version: 4 }, { cap: 3, version: 5 })).toEqual({
          kind: 'superseded',
        });
        expect((await registry.readShards([0]))[0]).toMatchObject({ cap: 3, version: 5 });
        expect((await registry.writeShard({ ...empty, cap: 8, version: 5 }, { cap: 3, version: 5 })).kind).toBe(
          'written',
        );
        expect((await registry.readShards([0]))[0]).toMatchObject({ cap: 8, version: 5 });
      });

      it.each([[{ cap: 7, version: 1 }], [{ cap: 3, version: 2 }], [undefined]])(
        'yields to a shard that is not as it was read (%o)',
        async (read) => {
          const { registry } = await withShard({ cap: 3 });
          const result = await registry.writeShard({ ...empty, cap: 8, version: 2 }, read);
          expect(result).toEqual({ kind: 'cap-changed', shard: { ...empty, cap: 3, members: [] } });
          expect((await registry.readShards([0]))[0]).toMatchObject({ cap: 3, version: 1 });
        },
      );

      it('lets one of several writers of one version win', async () => {
        const { registry } = await withShard({ cap: 3 });
        const caps = [4, 5, 6, 7];
        const results = await Promise.all(
          caps.map((cap) => registry.writeShard({ ...empty, cap, version: 2 }, { cap: 3, version: 1 })),
        );
        const kinds = results.map((result) => result.kind);
        expect(count(kinds, 'written')).toBe(1);
        expect(count(kinds, 'cap-changed')).toBe(3);
        expect((await registry.readShards([0]))[0]?.cap).toBe(caps[kinds.indexOf('written')]);
      });

      it('recognises its own write when the first answer was lost', async () => {
        const { repeating } = await withShard({ cap: 3 });
        const next = { ...empty, cap: 8, version: 2 };
        expect(await repeating().writeShard(next, { cap: 3, version: 1 })).toEqual({
          kind: 'written',
          shard: { ...next, members: [] },
        });
      });
    });
  });
};
