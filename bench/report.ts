import { leastCalls, separationOf } from './least.ts';
import { missesOf } from './misses.ts';
import type { Result, Rounds } from './result.ts';
import { delayMs, type Round } from './rounds.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';
import type { Tally } from './tally.ts';
import { targetsOf } from './targets.ts';

const n = (value: number, digits = 2): string => value.toFixed(digits);
const spread = ({ median, least, most }: Spread, digits: number): string =>
  `${n(median, digits)} (${n(least, digits)}–${n(most, digits)})`;

const table = (header: readonly string[], rows: readonly (readonly string[])[]): string =>
  [header, header.map((_, i) => (i === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const timed = (rounds: Rounds): string => {
  const row = (what: string, of: (round: Round) => number, digits: number) => {
    const ours = rounds.sluice.map(of);
    const theirs = rounds.peer.map(of);
    return [what, spread(spreadOf(ours), digits), spread(spreadOf(theirs), digits), spread(ratioOf(ours, theirs), 2)];
  };
  const steps = rounds.sluice[0]?.submit ?? [];
  const submits = steps.flatMap(({ clients }, i) => [
    row(
      `submit p50, ${clients} ${clients === 1 ? 'client' : 'clients'} (ms)`,
      (round) => round.submit[i]?.p50 ?? Number.NaN,
      1,
    ),
    row(
      `submit p95, ${clients} ${clients === 1 ? 'client' : 'clients'} (ms)`,
      (round) => round.submit[i]?.p95 ?? Number.NaN,
      1,
    ),
  ]);
  return table(
    ['median of the rounds (least–most)', 'Sluice', 'peer', 'ratio'],
    [
      ...submits,
      row('end-to-end jobs/s', (round) => round.endToEndRate, 1),
      row('drain jobs/s', (round) => round.drainRate, 1),
      row('Lambda ms per job, API', (round) => round.lambdaMs.api, 1),
      row('Lambda ms per job, consumer', (round) => round.lambdaMs.consumer, 1),
    ],
  );
};

const counted = ({ counts }: Result): string => {
  const { sluice, peer, own } = counts;
  const row = (what: string, one: Tally, other?: Tally) => [
    what,
    n(one.callsTotal),
    n(one.writeUnitsTotal),
    n(one.readUnits),
    n(one.sqsRequests),
    `$${n(one.dollars)}`,
    `$${n(one.dollarsWithoutLists)}`,
    ...(other ? [n(one.callsTotal / other.callsTotal), n(one.dollarsWithoutLists / other.dollars)] : ['', '']),
  ];
  return table(
    [
      'per job',
      'AWS calls',
      'write units',
      'read units',
      'SQS',
      '$ per million',
      'lists off',
      'calls ratio',
      '$ ratio',
    ],
    [
      row('Sluice, batches of ten', sluice.batched, peer.batched),
      row('peer, batches of ten', peer.batched),
      row('Sluice, a job a second', sluice.alone, peer.alone),
      row('peer, a job a second', peer.alone),
      row('Sluice, 25 jobs a call', own.bulk, peer.batched),
      row('Sluice, replay', sluice.replay, peer.replay),
      row('peer, replay', peer.replay),
      row('Sluice, refusal, one after another', own.refusedBusy),
      row('Sluice, refusal, one in two seconds', own.refusedQuiet),
    ],
  );
};

const separation = ({ counts }: Result): string =>
  table(
    ['call', 'what for', 'least', 'counted', 'apart'],
    [
      ...separationOf(counts.sluice.batched).map(({ call, why, least, counted: seen }) => [
        call,
        why,
        n(least),
        n(seen),
        n(seen - least),
      ]),
      ['all', '', n(leastCalls), n(counts.sluice.batched.callsTotal), n(counts.sluice.batched.callsTotal - leastCalls)],
    ],
  );

const bundles = (result: Result): string =>
  table(
    ['bundle', 'kB', 'import (ms)'],
    result.bundles.map(({ name, bytes, importMs }) => [name, n(bytes / 1_000, 0), spread(importMs, 0)]),
  );

const targets = (result: Result): string =>
  table(
    ['target', 'limit', 'found', ''],
    targetsOf(result).map(({ what, limit, value, spread: around, holds }) => [
      what,
      limit,
      around ? spread(around, 2) : n(value),
      holds ? 'holds' : '**missed**',
    ]),
  );

const conditionsOf = ({ conditions }: Result): string =>
  Object.entries(conditions)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');

/** The section of the README: each target beside what was found. */
export const summaryOf = (
  result: Result,
): string => `\`npm run bench\` runs Sluice and a stock Powertools build (\`bench/peer\`) in turn on one emulator. A ratio is ours to the
peer's, with its spread over the rounds; calls and units are counted, times are the emulator's and no measurement of AWS.
${conditionsOf(result)}.

${targets(result)}

[bench/RESULTS.md](bench/RESULTS.md) has the figures behind it, why what was missed was missed, growth and contention.
`;

/** The run as Markdown. */
export const reportOf = (result: Result): string => `# Sluice beside a stock Powertools build

Made by \`npm run bench\`; the peer is in \`bench/peer\`. ${conditionsOf(result)}.

Both builds ran on one emulator in one run, in turn. Calls and units were counted by a proxy in front of the emulator;
Lambda's receives and deletes follow from the invocations of the consumer. Times were taken without the proxy. They are
the emulator's, and say how the two compare, not how fast AWS is. Dollars are list prices (\`operator/plan/prices.ts\`) without
Lambda's time. "Lists off" takes out the write units of the indexes \`tenant\` and \`recent\`, which the peer does not have;
nor does it have bound, fence or history.

## Targets

${targets(result)}

What was missed, and why:

${missesOf(targetsOf(result)) || '- Nothing.'}

## Counted

${counted(result)}

Between Sluice and the least possible, in batches of ten:

${separation(result)}

## Timed

${timed(result.rounds)}

With ${delayMs} ms added to each call, about what DynamoDB and SQS take in a region (the emulator's take one or two):

${timed(result.delayed)}

## Bundles

${bundles(result)}
`;
