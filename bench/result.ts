import type { Bundle } from './bundles.ts';
import type { Counts } from './counts.ts';
import type { OwnCounts } from './own-counts.ts';
import type { Round } from './rounds.ts';

/** Round by round, the two builds of one round one after the other. */
export interface Rounds {
  readonly sluice: readonly Round[];
  readonly peer: readonly Round[];
}

/** Everything that one run found; what `bench/results/latest.json` holds. */
export interface Result {
  readonly conditions: Readonly<Record<string, string | number>>;
  readonly rounds: Rounds;
  /** The same with `delayMs` added to each call of a Lambda to DynamoDB or SQS. */
  readonly delayed: Rounds;
  readonly counts: { readonly sluice: Counts; readonly peer: Counts; readonly own: OwnCounts };
  readonly bundles: readonly Bundle[];
}
