import { bounds, type Limits } from '#core/limits.ts';
import type { Observed } from './observed.ts';
import { simulate } from './simulate.ts';
import type { Workload } from './workload.ts';

export interface Effort {
  readonly seed: number;
  readonly jobs: number;
  readonly onProgress?: (jobs: number) => void;
}

/** Of all arrivals, so many fill the empty system before the others are measured. */
const warmUpShare = 0.2;

/** Runs of one workload at different settings, each as long as the other and with the same jobs. */
export class Trials {
  readonly #workload: Workload;
  readonly #limits: Limits;
  readonly #effort: Effort;
  readonly #free = new Map<number, Observed>();
  readonly #roomy: number;
  runs = 0;

  /** More slots than `takenMax` are never taken by a system that keeps up; a run in which they are is given up. */
  constructor(workload: Workload, limits: Limits, effort: Effort, takenMax: number) {
    this.#workload = workload;
    this.#limits = limits;
    this.#effort = effort;
    this.#roomy = Math.ceil(Math.min(takenMax, 2 * effort.jobs));
  }

  /** With slots for all. */
  free(concurrency: number): Observed {
    const known = this.#free.get(concurrency);
    if (known !== undefined) return known;
    const observed = this.#run(concurrency, this.#roomy + bounds.slotsPerShard, { takenMax: this.#roomy });
    this.#free.set(concurrency, observed);
    return observed;
  }

  bounded(concurrency: number, capacity: number): Observed {
    return this.#run(concurrency, capacity, {});
  }

  #run(consumerConcurrencyMax: number, capacity: number, bound: { readonly takenMax?: number }): Observed {
    const { seed, jobs, onProgress } = this.#effort;
    const warmUpJobs = Math.ceil(jobs * warmUpShare);
    const before = this.runs * (jobs + warmUpJobs);
    this.runs += 1;
    return simulate(
      this.#workload,
      { ...this.#limits, capacity, consumerConcurrencyMax },
      { seed, jobs, warmUpJobs, ...bound, onProgress: (arrived) => onProgress?.(before + arrived) },
    );
  }
}
