import { type RunOptions, type RunResult, run } from './run.ts';

/** How many runs a shrinking may take. */
const runsMax = 400;

export interface Shrunk {
  readonly result: RunResult;
  /** Acts and faults that are left: what the failure needs. */
  readonly needed: readonly string[];
  readonly disabled: ReadonlySet<string>;
  readonly runs: number;
}

/**
 * Makes a failing history smaller: leaves out acts and faults in halves, quarters and at last one by one, as long as the
 * same guarantee breaks. What is left out changes what comes after it, so each candidate is simply tried.
 */
export const shrink = async (failed: RunResult, options: RunOptions): Promise<Shrunk> => {
  const guarantee = failed.violation?.guarantee;
  const disabled = new Set(options.disabled);
  let best = failed;
  let runs = 0;
  const failsWithout = async (names: readonly string[]): Promise<boolean> => {
    runs += 1;
    const candidate = await run(failed.seed, { ...options, trace: false, disabled: new Set([...disabled, ...names]) });
    if (candidate.violation?.guarantee !== guarantee) return false;
    for (const name of names) disabled.add(name);
    best = candidate;
    return true;
  };
  for (
    let size = Math.ceil(best.removable.length / 2);
    size >= 1 && runs < runsMax;
    size = size === 1 ? 0 : size >> 1
  ) {
    // From the end, since what happened after the failure's cause is needed least.
    for (let end = best.removable.length; end > 0 && runs < runsMax; end -= size) {
      await failsWithout(best.removable.slice(Math.max(0, end - size), end));
    }
  }
  const result = await run(failed.seed, { ...options, trace: true, disabled });
  return { result, needed: result.removable, disabled, runs };
};

const traceMax = 250;

/** A failure for people: what broke, how to see it again, what it needs, and what happened. */
export const explain = ({ result, needed, runs }: Shrunk): string => {
  const { seed, plan, violation, trace } = result;
  const { capacity, visibilitySeconds } = plan.limits;
  const left = Math.max(0, trace.length - traceMax);
  return [
    `seed ${seed}: ${violation?.message ?? 'no failure any more'}`,
    `again: npm run test:simulation -- --seed ${seed} --trace`,
    `capacity ${capacity}, visibility ${visibilitySeconds} s, batches of ${plan.batchSize}`,
    `needs (after ${runs} runs of shrinking):`,
    ...needed.map((name) => `  ${name}`),
    ...plan.acts.filter(({ name }) => needed.includes(name)).map((act) => `  ${act.name}: ${JSON.stringify(act.what)}`),
    left > 0 ? `… ${left} lines before` : 'from the beginning:',
    ...trace.slice(-traceMax),
  ].join('\n');
};
