import type { Asked } from './api-instance.ts';

/** What a simulated stretch of time held, after the warm-up. */
export interface Observed extends Readonly<Asked> {
  /** In flight grew beyond the bound of the run, which then ended: the consumer does not keep up. */
  readonly overflowed: boolean;
  readonly seconds: number;
  /** Jobs that came. */
  readonly arrivals: number;
  readonly refused: number;
  readonly starts: number;
  readonly retries: number;
  readonly succeeded: number;
  readonly dead: number;
  /** From acceptance to the first start, in milliseconds, ascending. */
  readonly waits: Float64Array;
  /** Deliveries to the consumer, and how long they lasted together. */
  readonly batches: number;
  readonly batchSeconds: number;
  /** Writes that freed slots: one a shard and batch. */
  readonly frees: number;
  /** How long so many slots were taken, by number, in seconds. */
  readonly takenSeconds: readonly number[];
  /** Messages received and not yet deleted: jobs that run or wait for their next attempt; on average. */
  readonly received: number;
}

export const quantileOf = (ascending: Float64Array, part: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? 0;

export const meanOf = (values: Float64Array): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

/** The least number of slots such that more were taken for at most `share` of the time. */
export const takenAt = ({ takenSeconds }: Pick<Observed, 'takenSeconds'>, share: number): number => {
  const beyondMax = share * takenSeconds.reduce((sum, seconds) => sum + (seconds ?? 0), 0);
  let beyond = 0;
  for (let taken = takenSeconds.length - 1; taken > 0; taken -= 1) {
    beyond += takenSeconds[taken] ?? 0;
    if (beyond > beyondMax) return taken;
  }
  return 0;
};

export const meanTaken = ({ takenSeconds }: Pick<Observed, 'takenSeconds'>): number => {
  const [sum, weighted] = takenSeconds.reduce(
    ([all, times], seconds, taken) => [all + seconds, times + seconds * taken] as const,
    [0, 0] as readonly [number, number],
  );
  return sum === 0 ? 0 : weighted / sum;
};
