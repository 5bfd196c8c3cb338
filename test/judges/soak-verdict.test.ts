import { describe, expect, it } from 'vitest';
import type { Job } from '#core/job.ts';
import { type Kind, kinds } from '../soak/support/kinds.ts';
import { brokenPromises, type Wanted } from '../soak/support/verdict.ts';

/* What judges the jobs of a soak must itself be able to say no. */

const kindOf = (name: string): Kind => {
  const kind = kinds.find((one) => one.name === name);
  if (kind === undefined) throw new Error(`no kind ${name}`);
  return kind;
};

const wanted = (kind: string, more: Partial<Wanted> = {}): Wanted => ({
  key: 'k',
  kind: kindOf(kind),
  account: 'a',
  amount: 5,
  ids: new Set(['1']),
  cancelAsked: false,
  ...more,
});

const job = (state: Job['state'], more: object = {}): Job =>
  ({
    id: '1',
    key: 'k',
    state,
    attempt: 1,
    attemptsMax: 3,
    starts: 1,
    redrives: 0,
    history: [],
    reason: { code: 'worker-lost', message: '' },
    ...more,
  }) as unknown as Job;

const judged = (one: Wanted, found: Job | undefined, effect?: { total: number; writes: number }) =>
  brokenPromises({
    wanted: [one],
    jobs: new Map(found === undefined ? [] : [[found.id, found]]),
    ledger: new Map(effect === undefined ? [] : [[one.account, effect]]),
  });
const once = { total: 5, writes: 1 };

describe('a job', () => {
  it('as it was to end breaks nothing', () => {
    expect(judged(wanted('plain'), job('succeeded'), once)).toEqual([]);
    expect(judged(wanted('broken'), job('discarded'))).toEqual([]);
    expect(judged(wanted('plain', { cancelAsked: true }), job('cancelled'))).toEqual([]);
    expect(judged(wanted('plain', { ids: new Set() }), undefined)).toEqual([]);
    const contended = { history: [{ at: 0, event: 'retry', detail: { code: 'finish-contended' } }], starts: 4 };
    expect(judged(wanted('plain'), job('succeeded', contended), once)).toEqual([]);
  });

  it.each<[string, Wanted, Job | undefined, { total: number; writes: number } | undefined, RegExp]>([
    ['lost', wanted('plain'), undefined, undefined, /^G2/],
    ['under another id', wanted('plain'), job('succeeded', { id: '2' }), once, /^G4/],
    ['in flight', wanted('plain'), job('retrying'), undefined, /^G6.*still retrying/],
    ['dead though it can succeed', wanted('outage'), job('dead'), undefined, /^G6.*worker-lost/],
    ['done though it is to fail', wanted('hopeless'), job('succeeded'), once, /^G6/],
    ['cancelled by nobody', wanted('plain'), job('cancelled'), undefined, /^G6/],
    ['started too often', wanted('plain'), job('succeeded', { starts: 4 }), once, /^G5/],
    ['without its effect', wanted('plain'), job('succeeded'), undefined, /^G3/],
    ['with its effect twice', wanted('plain'), job('succeeded'), { total: 10, writes: 2 }, /^G3/],
    ['cancelled, and with its effect', wanted('plain', { cancelAsked: true }), job('cancelled'), once, /^G3/],
  ])('%s breaks a promise', (_, one, found, effect, text) => {
    expect(judged(one, found, effect)).toEqual([expect.stringMatching(text)]);
  });
});
