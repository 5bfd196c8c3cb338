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
  /** Samples from here on count (seconds): what lives is warm by then, and no process is ended on purpose any more. */
  readonly from: number;
  readonly to: number;
  readonly growthMbPerMinuteMax: number;
}

/** One process that lived through the whole time that is judged. */
export interface MemoryRow {
  readonly functionName: string;
  readonly pid: number;
  readonly samples: number;
  readonly firstMb: number;
  readonly lastMb: number;
  readonly growthMbPerMinute: number;
}

/** A slope over less than this says more of the garbage collector than of a leak. */
export const judgedSecondsMin = 120;
/** So much of the judged time may be missing at each end. */
const missingPart = 0.1;
/** Slopes are taken between samples this far apart at least; those of neighbours are noise. */
const apartPart = 0.25;

/** The median of the slopes between samples (Theil and Sen): one collection more or less does not move it. */
const growthOf = (samples: readonly Sample[], apart: number): number => {
  const slopes = samples.flatMap((a, i) =>
    samples
      .slice(i + 1)
      .filter((b) => b.at - a.at >= apart)
      .map((b) => ((b.residentMb - a.residentMb) / (b.at - a.at)) * 60),
  );
  return median(slopes);
};

/** The growth of each process that lived through the judged time. */
export const growthRows = (samples: readonly Sample[], { from, to }: MemoryCriterion): readonly MemoryRow[] => {
  const span = to - from;
  const judged = Map.groupBy(
    samples.filter(({ at }) => at >= from && at <= to),
    ({ pid }) => pid,
  );
  return [...judged].flatMap(([pid, own]) => {
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined || last.at - first.at < span * (1 - 2 * missingPart)) return [];
    const tenth = Math.max(1, Math.floor(own.length / 10));
    const typical = (some: readonly Sample[]) => median(some.map(({ residentMb }) => residentMb));
    return {
      functionName: first.functionName,
      pid,
      samples: own.length,
      firstMb: typical(own.slice(0, tenth)),
      lastMb: typical(own.slice(-tenth)),
      growthMbPerMinute: growthOf(own, span * apartPart),
    };
  });
};

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
  const rows = growthRows(samples, criterion);
  for (const { functionName, pid, growthMbPerMinute } of rows) {
    if (growthMbPerMinute > criterion.growthMbPerMinuteMax)
      faults.push(`process ${pid} of ${functionName} grew by ${growthMbPerMinute.toFixed(2)} MB a minute`);
  }
  for (const name of functions) {
    if (!rows.some(({ functionName }) => functionName === name))
      faults.push(`no process of ${name} lived through the judged time`);
  }
  return faults;
};
