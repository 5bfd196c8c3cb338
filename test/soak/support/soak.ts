import { systemClock } from '#adapters/system-world.ts';
import { until } from '../../../localstack/demo/stage.ts';
import { backlogOf, System } from '../../drills/support/system.ts';
import { faultsInTable } from '../../fuzz/support/table.ts';
import { disturb, restore, stageCapacity } from './disturbances.ts';
import {
  type Check,
  checks,
  endingPart,
  expectations,
  growthMbMax,
  judgedPart,
  restSecondsMax,
  waitingJobs,
} from './expectations.ts';
import { everyAccount } from './ledger.ts';
import { Load } from './load.ts';
import { faultsInMemory, type MemoryCriterion, type MemoryRow, memoryRows, type Sample } from './memory.ts';
import type { SoakSite } from './site.ts';
import { everyJob, faultsInSlots } from './slots.ts';
import { brokenPromises } from './verdict.ts';
import { workersOf } from './workers.ts';

interface Finding {
  readonly check: Check;
  readonly expected: string;
  /** What was found instead; none if all is as expected. */
  readonly faults: readonly string[];
}

export interface SoakRecord {
  readonly at: string;
  readonly loadSeconds: number;
  readonly restSeconds: number;
  readonly passed: boolean;
  readonly findings: readonly Finding[];
  readonly jobs: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
  readonly states: Readonly<Record<string, number>>;
  readonly disturbances: Readonly<Record<string, number>>;
  readonly inFlightMost: number;
  readonly memory: { readonly criterion: MemoryCriterion; readonly rows: readonly MemoryRow[] };
  readonly samples: readonly Sample[];
}

export interface SoakOptions {
  readonly seconds: number;
  /** Gets a line now and then. */
  readonly progress: (line: string) => void;
}

const samplesMax = 400;
const sampleSecondsMin = 2;
const progressLinesMax = 60;
const progressSecondsMin = 10;

const tallyOf = (values: readonly string[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, same]) => [value, same.length]).sort());

/** What is measured while the load runs: memory of the processes, jobs in flight. */
class Gauges {
  readonly samples: Sample[] = [];
  inFlight = 0;
  inFlightMost = 0;

  async readUntil(stop: AbortSignal, site: SoakSite, system: System, at: () => number, every: number): Promise<void> {
    while (!stop.aborted) {
      const { inFlight } = await system.status();
      this.inFlight = inFlight.total;
      this.inFlightMost = Math.max(this.inFlightMost, inFlight.total);
      for (const worker of workersOf(site.emulatorPid)) this.samples.push({ at: at(), ...worker });
      await systemClock.wait(every * 1_000, stop);
    }
  }

  /** The most that one process holds now (MB). */
  get highest(): number {
    const now = this.samples.at(-1)?.at ?? 0;
    return Math.max(0, ...this.samples.filter(({ at }) => now - at < 1).map(({ residentMb }) => residentMb));
  }
}

/** Nothing in flight and no message left; the reconciler runs by hand meanwhile. */
const rest = async (system: System): Promise<readonly string[]> => {
  const look = async () => {
    await system.reconcile();
    const status = await system.status();
    return { inFlight: status.inFlight, backlog: status.backlog, messages: backlogOf(status) };
  };
  const isAtRest = ({ inFlight, messages }: Awaited<ReturnType<typeof look>>) => inFlight.total + messages === 0;
  return until('nothing in flight', restSecondsMax, look, isAtRest).then(
    () => [],
    (error: Error) => [error.message],
  );
};

/** Jobs that died of the faults are brought back now that there are none any more. */
const redriveDead = async (outputs: SoakSite['outputs'], system: System, load: Load): Promise<void> => {
  const kinds = new Map(load.wanted.map(({ key, kind }) => [key, kind]));
  const ids = [...(await everyJob(outputs)).values()]
    .filter((job) => job.state === 'dead' && kinds.get(job.key)?.ends.includes('dead') === false)
    .map(({ id }) => id);
  for (let at = 0; at < ids.length; at += stageCapacity) {
    const some = { ids: ids.slice(at, at + stageCapacity), force: true };
    await system.call('POST', '/operator/dead/redrive', some);
    await rest(system);
  }
};

/** Slots beside jobs that stand still, and beside none. */
const compareSlots = async ({ outputs }: SoakSite, system: System, load: Load): Promise<readonly string[]> => {
  await system.setConsumer('paused');
  await load.submitPlain(waitingJobs);
  const waiting = await faultsInSlots(outputs, waitingJobs);
  await system.setConsumer('running');
  return [...waiting, ...(await rest(system)), ...(await faultsInSlots(outputs, 0))];
};

/** Loads and disturbs a system for so long, lets it come to rest, and holds what is left against what was asked for. */
export const soak = async (site: SoakSite, { seconds, progress }: SoakOptions): Promise<SoakRecord> => {
  const { outputs } = site;
  const system = new System(outputs, () => undefined);
  const started = new Date();
  const passed = () => (Date.now() - started.getTime()) / 1_000;
  const mayEndProcesses = () => passed() < seconds * endingPart;
  const load = new Load(system, mayEndProcesses);
  const gauges = new Gauges();
  const stopping = new AbortController();
  const stop = stopping.signal;
  const tell = async () => {
    while (!stop.aborted) {
      await systemClock.wait(Math.max(progressSecondsMin, seconds / progressLinesMax) * 1_000, stop);
      progress(
        `${load.wanted.length} jobs asked for, ${gauges.inFlight} in flight, highest process ${gauges.highest.toFixed(0)} MB, ${load.faults.length} wrong answers`,
      );
    }
  };
  const timer = setTimeout(() => stopping.abort(), seconds * 1_000);
  let disturbances: ReadonlyMap<string, number>;
  try {
    [disturbances] = await Promise.all([
      disturb({ site, system, run: load.run, stop }, seconds, mayEndProcesses),
      load.submitUntil(stop),
      gauges.readUntil(stop, site, system, passed, Math.max(sampleSecondsMin, seconds / samplesMax)),
      tell(),
    ]);
  } finally {
    clearTimeout(timer);
    stopping.abort();
    await restore(site, system);
  }

  const resting = Date.now();
  progress('the load is over: waiting until nothing is in flight');
  const restFaults = [...(await rest(system))];
  progress('redriving what died of the faults');
  await redriveDead(outputs, system, load);
  progress('comparing slots, jobs and effects');
  const slots = await compareSlots(site, system, load);
  const jobs = await everyJob(outputs);
  const criterion = { from: judgedPart * seconds, to: seconds, growthMbMax };
  const found: Readonly<Record<Check, readonly string[]>> = {
    answers: load.faults,
    bound: gauges.inFlightMost > stageCapacity ? [`${gauges.inFlightMost} in flight`] : [],
    rest: restFaults,
    slots,
    jobs: brokenPromises({ wanted: load.wanted, jobs, ledger: await everyAccount(outputs) }),
    table: await faultsInTable(outputs),
    memory: faultsInMemory(gauges.samples, criterion, [outputs.apiFunctionName, outputs.consumerFunctionName]),
  };
  const expected = expectations(seconds);
  const own = [...jobs.values()].filter(({ key }) => key.startsWith(`${load.run}.`));
  return {
    at: started.toISOString(),
    loadSeconds: seconds,
    restSeconds: (Date.now() - resting) / 1_000,
    passed: checks.every((check) => found[check].length === 0),
    findings: checks.map((check) => ({ check, expected: expected[check], faults: found[check] })),
    jobs: own.length,
    kinds: tallyOf(load.wanted.map(({ kind }) => kind.name)),
    answers: Object.fromEntries([...load.answers].sort()),
    states: tallyOf(own.map(({ state }) => state)),
    disturbances: Object.fromEntries(disturbances),
    inFlightMost: gauges.inFlightMost,
    memory: { criterion, rows: memoryRows(gauges.samples, criterion) },
    samples: gauges.samples,
  };
};
