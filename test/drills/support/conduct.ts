import { Bench, type Counts, countsText } from './bench.ts';
import type { Drill, Facts } from './drill.ts';
import type { Reporter } from './report.ts';
import type { Site } from './sites.ts';
import { backlogOf, type System } from './system.ts';

/** One expectation beside what was seen. */
interface Finding {
  readonly what: string;
  readonly expected: string;
  readonly observed: string;
}

export interface DrillResult {
  readonly name: string;
  readonly title: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly findings: readonly Finding[];
  readonly faults: readonly string[];
  readonly counts: readonly Counts[];
  readonly notes: readonly string[];
  readonly error?: string;
}

/** Every wait of a drill is bounded by itself; this ends one whose waits add up. */
const drillSecondsMax = 120;
const settleSeconds = 45;
const stageCapacity = 100;
const nothing = countsText({ queued: 0, running: 0, retrying: 0, slots: 0 });

/** Conducts one drill: expectation, counts before, fault, counts after, verdict. Never throws: a failure is a result. */
export const conduct = async (
  drill: Drill,
  openSite: () => Promise<Site>,
  reporter: Reporter,
): Promise<DrillResult> => {
  reporter.begin(drill);
  let bench: Bench | undefined;
  let observed: Facts = {};
  let error: string | undefined;
  let started = Date.now();
  try {
    const site = await openSite();
    started = Date.now();
    bench = new Bench(site, drill.name, reporter);
    observed = await within(drillSecondsMax, observe(drill, bench));
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
    // Whoever drills next finds the system as every drill does.
    await bench?.system.setConsumer('running').catch(() => undefined);
    await bench?.system.setCapacity(stageCapacity).catch(() => undefined);
  }
  const after = bench?.counts.findLast((counts) => counts.moment === 'after');
  const findings = [
    ...Object.entries(drill.expected).map(([what, expected]) => ({
      what,
      expected,
      observed: observed[what] ?? 'not observed',
    })),
    { what: 'in flight at the end', expected: nothing, observed: after ? countsText(after) : 'not observed' },
  ];
  const result: DrillResult = {
    name: drill.name,
    title: drill.title,
    passed: error === undefined && findings.every((finding) => finding.expected === finding.observed),
    seconds: (Date.now() - started) / 1_000,
    findings,
    faults: bench?.faults ?? [],
    counts: bench?.counts ?? [],
    notes: bench?.notes ?? [],
    ...(error !== undefined && { error }),
  };
  reporter.end(result);
  return result;
};

const observe = async (drill: Drill, bench: Bench): Promise<Facts> => {
  const { system } = bench;
  await quiet(system);
  await bench.look('before');
  // The bench was made from the site that this drill names.
  const observed = await drill.run(bench as Parameters<Drill['run']>[0]);
  if (!bench.counts.some((counts) => counts.moment === 'during')) {
    throw new Error('the drill did not count what was in flight during its fault');
  }
  await system.setConsumer('running');
  await system.setCapacity(stageCapacity);
  await system.statusFits('no slot taken', (status) => status.inFlight.total === 0, settleSeconds);
  await bench.look('after');
  return observed;
};

/** A drill begins on a system at rest; messages that an earlier one left hidden may still come and go. */
const quiet = async (system: System): Promise<void> => {
  await system.setConsumer('running');
  await system.setCapacity(stageCapacity);
  await system.statusFits(
    'a system at rest',
    (status) => status.inFlight.total === 0 && backlogOf(status) === 0,
    settleSeconds,
  );
};

const within = async <T>(seconds: number, work: Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`the drill did not end within ${seconds} s`)), seconds * 1_000);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};
