import { describe, expect, it } from 'vitest';
import { creditAccount, ledgerCredit } from '#functions/jobs/ledger-credit.ts';

const pointers = (payload: unknown): readonly string[] => ledgerCredit.check(payload).map((e) => e.pointer);

describe('the payload of ledger.credit', () => {
  it.each([
    ['a', 1],
    ['a'.repeat(64), 2 ** 53 - 1],
    ['AZaz09_-', 100],
  ])('account %s, amount %i is valid', (account, amount) => {
    expect(ledgerCredit.check({ account, amount })).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ['no account', { amount: 1 }, ['/payload/account']],
    ['an empty account', { account: '', amount: 1 }, ['/payload/account']],
    ['an account of 65', { account: 'a'.repeat(65), amount: 1 }, ['/payload/account']],
    ['a dot', { account: 'a.b', amount: 1 }, ['/payload/account']],
    ['a letter beyond ASCII', { account: 'ä', amount: 1 }, ['/payload/account']],
    ['a line break at the end', { account: 'a\n', amount: 1 }, ['/payload/account']],
    ['an account that is a number', { account: 1, amount: 1 }, ['/payload/account']],
    ['no amount', { account: 'a' }, ['/payload/amount']],
    ['amount 0', { account: 'a', amount: 0 }, ['/payload/amount']],
    ['a negative amount', { account: 'a', amount: -1 }, ['/payload/amount']],
    ['half an amount', { account: 'a', amount: 1.5 }, ['/payload/amount']],
    ['an amount of 2^53', { account: 'a', amount: 2 ** 53 }, ['/payload/amount']],
    ['an amount as a text', { account: 'a', amount: '1' }, ['/payload/amount']],
    ['a member more', { account: 'a', amount: 1, note: 'x' }, ['/payload/note']],
    ['a member __proto__', JSON.parse('{"account":"a","amount":1,"__proto__":{}}'), ['/payload/__proto__']],
    ['null', null, ['/payload']],
    ['a list', [], ['/payload']],
    ['nothing', undefined, ['/payload']],
  ])('%s is not valid', (_, payload, expected) => {
    expect(pointers(payload)).toEqual(expected);
    expect(ledgerCredit.bind(payload)).toBeUndefined();
  });

  it('the text says what is wanted', () => {
    expect(ledgerCredit.check({ account: '', amount: 0 }).map((e) => e.detail)).toEqual([
      'must be 1 to 64 characters of A-Z a-z 0-9 _ -',
      'must be a whole number from 1 to 9007199254740991',
    ]);
  });
});

describe('its effect', () => {
  it('G3 is one write that adds to the total and counts itself, on the account alone', () => {
    expect(creditAccount({ account: 'a', amount: 7 })).toEqual({
      table: 'ledger',
      key: { account: 'a' },
      kind: 'update',
      update: {
        expression: 'ADD #total :amount, #writes :one',
        names: { '#total': 'total', '#writes': 'writes' },
        values: { ':amount': 7, ':one': 1 },
      },
    });
  });
});
