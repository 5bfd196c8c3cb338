import type { Bundle } from './bundles.ts';
import type { Result, Rounds } from './result.ts';
import { delayMs, type Round } from './rounds.ts';
import { ratioOf, type Spread } from './statistics.ts';
import type { Tally } from './tally.ts';

/** One figure against its target. A ratio is ours to the peer's. */
export interface Target {
  readonly what: string;
  readonly limit: string;
  readonly value: number;
  readonly spread?: Spread;
  readonly holds: boolean;
}

const atMost = (what: string, limit: number, value: number, spread?: Spread): Target => ({
  what,
  limit: `≤ ${limit}`,
  value,
  ...(spread && { spread }),
  // Shares of jobs do not add up to whole numbers exactly.
  holds: value <= limit + 1e-9,
});

const callsLike = ({ calls }: Tally, pattern: RegExp): number =>
  Object.entries(calls).reduce((sum, [name, n]) => sum + (pattern.test(name) ? n : 0), 0);

const reads = (tally: Tally): number => callsLike(tally, /dynamodb:(Get|BatchGet|Query|Scan)/);
const refusedWrites = (tally: Tally): number => callsLike(tally, / refused$/);
const allWrites = (tally: Tally): number => callsLike(tally, /:(Put|Update|Delete|Transact|Send)/);

const submitRatio = ({ sluice, peer }: Rounds): Spread => {
  const p50 = (of: readonly Round[]) => of.map((round) => round.submit[0]?.p50 ?? Number.NaN);
  return ratioOf(p50(sluice), p50(peer));
};

const endToEndRatio = ({ sluice, peer }: Rounds): Spread => {
  const rate = (of: readonly Round[]) => of.map((round) => round.endToEndRate);
  return ratioOf(rate(sluice), rate(peer));
};

const endToEnd = (what: string, spread: Spread): Target => ({
  what,
  limit: '≥ 1.2',
  value: spread.median,
  spread,
  holds: spread.median >= 1.2,
});

export const targetsOf = ({ rounds, delayed, counts, bundles }: Result): readonly Target[] => {
  const { sluice, peer, own } = counts;
  const submit = submitRatio(rounds);
  const submitDelayed = submitRatio(delayed);
  const bundle = (name: string): Bundle | undefined => bundles.find((one) => one.name === name);
  const ofBundles = (entry: 'api' | 'consumer'): readonly Target[] => {
    const ours = bundle(`sluice ${entry}`);
    const theirs = bundle(`peer ${entry}`);
    if (ours === undefined || theirs === undefined) return [];
    return [
      atMost(`${entry}: bytes of the bundle`, 0.8, ours.bytes / theirs.bytes),
      atMost(`${entry}: time of its import`, 0.9, ours.importMs.median / theirs.importMs.median),
    ];
  };
  return [
    atMost('AWS calls per job', 0.75, sluice.batched.callsTotal / peer.batched.callsTotal),
    atMost('dollars per job, like for like', 1.05, sluice.batched.dollarsWithoutLists / peer.batched.dollars),
    atMost('dollars per job, submitted in bulk', 0.65, own.bulk.dollarsWithoutLists / peer.batched.dollars),
    atMost('submit p50, 1 client', 0.85, submit.median, submit),
    atMost(`submit p50, ${delayMs} ms added to each call`, 0.85, submitDelayed.median, submitDelayed),
    endToEnd('end-to-end jobs per second', endToEndRatio(rounds)),
    endToEnd(`end-to-end, ${delayMs} ms added to each call`, endToEndRatio(delayed)),
    atMost('refusal while full: writes', 0, allWrites(own.refusedBusy)),
    atMost('refusal while full: reads', 1, reads(own.refusedBusy)),
    atMost('replay: reads', 1, reads(sluice.replay)),
    atMost('replay: failed writes', 1, refusedWrites(sluice.replay)),
    atMost('replay: other writes', 0, allWrites(sluice.replay) - refusedWrites(sluice.replay)),
    ...ofBundles('api'),
    ...ofBundles('consumer'),
  ];
};
