import { describe, expect, it } from 'vitest';
import type { JobWrite, WriteExpression } from '#core/job-write.ts';
import { finishWith, type StoreUnderTest } from './subjects.ts';

const at = { table: 'ledger', key: { account: 'a' } } as const;
const put = (item: Readonly<Record<string, unknown>>): JobWrite => ({ ...at, kind: 'put', item });
const check = (condition: WriteExpression): JobWrite => ({ ...at, kind: 'check', condition });
const add = (amount: number, condition?: WriteExpression): JobWrite => ({
  ...at,
  kind: 'update',
  update: { expression: 'ADD #total :amount, #writes :one', names, values: { ':amount': amount, ':one': 1 } },
  ...(condition && { condition }),
});
const names = { '#total': 'total', '#writes': 'writes' };
const total = { '#total': 'total' };

export const describeHandlerWrites = (make: () => Promise<StoreUnderTest>): void => {
  describe("a handler's writes", () => {
    it('puts an item, whole and with its key', async () => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [put({ account: 'a', total: 1, gone: true })]);
      await finishWith(store, [put({ total: 2, list: [1, { x: null }], skipped: undefined })]);
      expect(await ledgerItem('a')).toEqual({ account: 'a', total: 2, list: [1, { x: null }] });
    });

    it('adds to an item that appears with the first addition', async () => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [add(5)]);
      await finishWith(store, [add(-2)]);
      expect(await ledgerItem('a')).toEqual({ account: 'a', total: 3, writes: 2 });
    });

    it('sets attributes and leaves the others', async () => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [put({ total: 1, note: 'x' })]);
      const update = { expression: 'SET #total = :t, flag = :f', names: total, values: { ':t': 9, ':f': true } };
      await finishWith(store, [{ ...at, kind: 'update', update }]);
      expect(await ledgerItem('a')).toEqual({ account: 'a', total: 9, note: 'x', flag: true });
    });

    it('deletes an item, also one that is not there', async () => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [put({ total: 1 })]);
      expect(await finishWith(store, [{ ...at, kind: 'delete' }])).toEqual({ kind: 'saved' });
      expect(await finishWith(store, [{ ...at, kind: 'delete' }])).toEqual({ kind: 'saved' });
      expect(await ledgerItem('a')).toBeUndefined();
    });

    it('leaves a checked item as it is', async () => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [put({ total: 1 })]);
      const exists = check({ expression: 'attribute_exists(account)' });
      expect(await finishWith(store, [exists])).toEqual({ kind: 'saved' });
      expect(await ledgerItem('a')).toEqual({ account: 'a', total: 1 });
    });

    it('takes a check without a condition for "is it there?"', async () => {
      const { store } = await make();
      expect(await finishWith(store, [{ ...at, kind: 'check' }])).toEqual({ kind: 'condition-failed', index: 0 });
      await finishWith(store, [put({ total: 1 })]);
      expect(await finishWith(store, [{ ...at, kind: 'check' }])).toEqual({ kind: 'saved' });
    });

    it.each<[boolean, WriteExpression]>([
      [true, { expression: 'attribute_exists(#total)', names: total }],
      [false, { expression: 'attribute_exists(nowhere)' }],
      [true, { expression: 'attribute_not_exists(nowhere)' }],
      [false, { expression: 'attribute_not_exists(#total)', names: total }],
      [true, { expression: '#total = :t', names: total, values: { ':t': 10 } }],
      [false, { expression: '#total = :t', names: total, values: { ':t': 11 } }],
      [false, { expression: '#total = :t', names: total, values: { ':t': '10' } }],
      [false, { expression: 'nowhere = :t', values: { ':t': 10 } }],
      [true, { expression: '#total >= :t', names: total, values: { ':t': 10 } }],
      [false, { expression: '#total >= :t', names: total, values: { ':t': 10.5 } }],
      [true, { expression: 'note >= :n', values: { ':n': 'aa' } }],
      [false, { expression: 'note >= :n', values: { ':n': 1 } }],
      [false, { expression: 'nowhere >= :t', values: { ':t': 0 } }],
      [true, { expression: 'attribute_exists(note) AND #total >= :t', names: total, values: { ':t': 10 } }],
      [false, { expression: 'attribute_exists(note) AND #total >= :t', names: total, values: { ':t': 11 } }],
      [false, { expression: 'attribute_not_exists(note) AND #total >= :t', names: total, values: { ':t': 10 } }],
    ])('is %s for %j', async (met, condition) => {
      const { store } = await make();
      await finishWith(store, [put({ total: 10, note: 'ab' })]);
      const expected = met ? { kind: 'saved' } : { kind: 'condition-failed', index: 0 };
      expect(await finishWith(store, [check(condition)])).toEqual(expected);
    });

    it.each<[string, JobWrite]>([
      ['put', { ...put({ total: 2 }), condition: { expression: 'attribute_not_exists(account)' } }],
      ['update', add(1, { expression: 'attribute_not_exists(account)' })],
      ['delete', { ...at, kind: 'delete', condition: { expression: 'attribute_not_exists(account)' } }],
    ])('holds a condition on a %s', async (_, write) => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [put({ total: 1 })]);
      expect(await finishWith(store, [write])).toEqual({ kind: 'condition-failed', index: 0 });
      expect(await ledgerItem('a')).toEqual({ account: 'a', total: 1 });
    });

    it('never mixes up an update and a condition that use one placeholder for two things', async () => {
      const { store, ledgerItem } = await make();
      await finishWith(store, [put({ total: 10, writes: 1 })]);
      const enough = { expression: '#total >= :one', names: total, values: { ':one': 10 } };
      const result = await finishWith(store, [add(5, enough)]);
      // A store may refuse what it cannot tell apart; adding ten to `writes` would be the mix-up.
      const untouched = { account: 'a', total: 10, writes: 1 };
      expect(await ledgerItem('a')).toEqual(
        result.kind === 'saved' ? { account: 'a', total: 15, writes: 2 } : untouched,
      );
      expect(result.kind).toBeOneOf(['saved', 'rejected']);
    });
  });
};
