import { median } from '../../../bench/statistics.ts';

/** What one process held at one moment. */
export interface Sample {
  /** Seconds since the soak began. */
  readonly at: number;
  readonly pid: number;
  readonly functionName: string;
  readonly residentMb: number;
  readonly memoryMb: number;
}

export interface MemoryCriterion {
  /** Samples between these moments count (seconds): by then no process is ended on purpose any more. */
  readonly from: number;
  readonly to: number;
  readonly growthMbMax: number;
}

/** One process that was warm when the judged time began, and lived to its end. */
export interface MemoryRow {
  readonly functionName: string;
  readonly pid: number;
  readonly samples: number;
  /** What it typically held in the first and in the last tenth of the judged time. */
  readonly firstMb: number;
  readonly lastMb: number;
}

/** Growth over less than this says more of what is compiled and cached than of a leak. */
export const judgedSecondsMin = 120;
/** So long a process must have lived before. */
const warmSeconds = 30;
/** So much of the judged time may be missing at its end. */
const missingPart = 0.1;

/** The processes that can be judged. */
export const memoryRows = (samples: readonly Sample[], { from, to }: MemoryCriterion): readonly MemoryRow[] =>
  [...Map.groupBy(samples, ({ pid }) => pid)].flatMap(([pid, all]) => {
    const own = all.filter(({ at }) => at >= from && at <= to);
    const [first, last] = [all[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (first.at > Math.max(0, from - warmSeconds) || last.at < to - missingPart * (to - from)) return [];
    const tenth = Math.max(1, Math.floor(own.length / 10));
    const typical = (some: readonly Sample[]) => median(some.map(({ residentMb }) => residentMb));
    const [firstMb, lastMb] = [typical(own.slice(0, tenth)), typical(own.slice(-tenth))];
    return { functionName: first.functionName, pid, samples: own.length, firstMb, lastMb };
  });

/** What is wrong with the memory of the workers, in words. `functions` must each have a process to judge. */
export const faultsInMemory = (
  samples: readonly Sample[],
  criterion: MemoryCriterion,
  functions: readonly string[],
): readonly string[] => {
  const above = samples.filter(({ residentMb, memoryMb }) => residentMb > memoryMb);
  const faults = [...new Set(above.map(({ functionName }) => functionName))].map(
    (name) => `a process of ${name} held more than its function was given`,
  );
  if (criterion.to - criterion.from < judgedSecondsMin) return faults;
  const rows = memoryRows(samples, criterion);
  for (const { functionName, pid, firstMb, lastMb } of rows) {
    if (lastMb - firstMb > criterion.growthMbMax)
      faults.push(`process ${pid} of ${functionName} grew from ${firstMb.toFixed(0)} to ${lastMb.toFixed(0)} MB`);
  }
  for (const name of functions) {
    if (!rows.some(({ functionName }) => functionName === name))
      faults.push(`no process of ${name} lived through the judged time`);
  }
  return faults;
};
