export const distributions = ['exponential', 'deterministic', 'lognormal'] as const;

/** What is to be borne, and what is assumed of the world around it. */
export interface Workload {
  /** Jobs, a Poisson process; `bulk` of them come in one call. */
  readonly arrivalPerSecond: number;
  readonly bulk: number;
  /** Mean time of a handler. */
  readonly serviceSeconds: number;
  readonly distribution: (typeof distributions)[number];
  /** Standard deviation over mean, of the lognormal distribution. */
  readonly spread: number;
  /** The part of the attempts that ends in an error that is retried. */
  readonly failShare: number;
  /** What an attempt takes beside its handler: start, finish, acknowledgement. */
  readonly overheadSeconds: number;
  /** What a call takes in the API's function. */
  readonly apiSeconds: number;
}

/** Draws the times of handlers. `random` in [0, 1). */
export const serviceTimes = (
  { serviceSeconds, distribution, spread }: Pick<Workload, 'serviceSeconds' | 'distribution' | 'spread'>,
  random: () => number,
): (() => number) => {
  switch (distribution) {
    case 'deterministic':
      return () => serviceSeconds;
    case 'exponential':
      return () => exponential(serviceSeconds, random());
    case 'lognormal': {
      const variance = Math.log(1 + spread ** 2);
      const middle = Math.log(serviceSeconds) - variance / 2;
      return () => Math.exp(middle + Math.sqrt(variance) * normal(random));
    }
  }
};

export const exponential = (mean: number, random: number): number => -mean * Math.log(1 - random);

/** Box and Muller's way. */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
