import { afterAll, expect, it } from 'vitest';
import type { Job, State } from '#core/job.ts';
import type { Limits } from '#core/limits.ts';
import { type Fault, faultsAt, throttling } from './fault.ts';
import { type Answer, Injection } from './injection.ts';
import { brokenInvariants, inFlightWithoutSlot } from './invariants.ts';
import { type Asked, Lab } from './lab.ts';
import { settle } from './settle.ts';

/** A history, a part of which meets each fault at each of its calls. */
export interface Scenario<Prepared = unknown> {
  readonly name: string;
  readonly limits?: Partial<Limits>;
  /** What was there before; no fault meets it. */
  readonly prepare?: (lab: Lab) => Promise<Prepared>;
  /** The part that meets the faults. It must go on as a caller, a schedule or a queue would, whatever breaks. */
  readonly act: (lab: Lab, prepared: Prepared) => Promise<void>;
  /** Where the act leaves the jobs, in the order in which they were asked for, when no fault meets it. */
  readonly reaches: readonly (State | 'none')[];
  /** Whose submission is repeated afterwards. Each fault is tried with and without it. */
  readonly askAgain?: (lab: Lab) => readonly Asked[];
  /** What must hold besides the invariants. */
  readonly check?: (lab: Lab, prepared: Prepared) => Promise<void>;
}

interface Case {
  readonly fault?: Fault;
  /** The first try of every call of the act is too fast for the service. */
  readonly throttled?: boolean;
  readonly repeats?: boolean;
}

/** `SLUICE_FAULTS=all` runs also those faults that leave the same world behind as another. */
const everything = process.env['SLUICE_FAULTS'] === 'all';

const tooFastOnce: Answer = async (send, call, tries) => {
  if (tries === 1) throw throttling(call);
  return send();
};

/** Each job's state and the story of it, without its times. */
const tracesOf = (lab: Lab, jobs: ReadonlyMap<string, Job>): readonly string[] =>
  lab.asked.map(({ submission }) => {
    const job = jobs.get(submission.id);
    return job === undefined ? 'none' : `${job.state}: ${job.history.map((entry) => entry.event).join(', ')}`;
  });

/** But a receive whose answer was lost hides its messages from the one that repeats it. */
const isMadeGood = (fault: Fault | undefined): boolean =>
  fault?.kind === 'first answer lost' && !fault.call.includes('ReceiveMessage');

const runCase = async <P>(scenario: Scenario<P>, found: Found, run: Case): Promise<void> => {
  const { fault, throttled = false, repeats = true } = run;
  const lab = await Lab.make(scenario.limits);
  try {
    const prepared = (await scenario.prepare?.(lab)) as P;
    lab.beginAct(fault);
    const tooFast = new Injection(/./, tooFastOnce);
    if (throttled) lab.injections.push(tooFast);
    await scenario.act(lab, prepared);
    tooFast.end();
    const { fired } = lab.endAct();
    if (fault !== undefined && !fired) throw new Error(`the call was not met: ${fault.call}`);
    const jobs = await lab.jobs();
    expect(await inFlightWithoutSlot(lab, jobs)).toEqual([]);
    // G5: what the SDK makes good by itself leaves the same story, and costs no attempt.
    if (throttled || isMadeGood(fault)) {
      expect(tracesOf(lab, jobs)).toEqual(found.traces);
      expect(lab.recorder.count('FenceRejected')).toBe(found.fenced);
    }
    const rest = await settle(lab, repeats ? (scenario.askAgain?.(lab) ?? []) : []);
    expect(await brokenInvariants(lab, rest)).toEqual([]);
    await scenario.check?.(lab, prepared);
  } catch (error) {
    // The steps so far say more than the last assertion alone.
    if (error instanceof Error) error.message += `\n  ${lab.story.join('\n  ')}`;
    throw error;
  } finally {
    lab.close();
  }
};

/** What a run without a fault has shown: the calls of the act in their order, and where the jobs stood after it. */
interface Found {
  readonly calls: readonly string[];
  readonly traces: readonly string[];
  /** Late results that were refused. */
  readonly fenced: number;
}

const discover = async <P>(scenario: Scenario<P>): Promise<Found> => {
  const lab = await Lab.make(scenario.limits);
  const prepared = (await scenario.prepare?.(lab)) as P;
  lab.beginAct(undefined);
  await scenario.act(lab, prepared);
  const { calls } = lab.endAct();
  const traces = tracesOf(lab, await lab.jobs());
  lab.close();
  return { calls, traces, fenced: lab.recorder.count('FenceRejected') };
};

/**
 * One test for each fault at each call of each scenario. The calls are discovered, so that a new one is covered by
 * itself; their names and numbers are printed at the end of the file.
 */
export const everyFault = async (scenarios: readonly Scenario[]) => {
  const discovered = await Promise.all(
    scenarios.map(async (scenario) => ({ scenario, found: await discover(scenario) })),
  );
  const counted: {
    readonly scenario: string;
    readonly calls: number;
    readonly all: number;
    readonly distinct: number;
  }[] = [];
  for (const { scenario, found } of discovered) {
    const { calls } = found;
    const variants = scenario.askAgain === undefined ? [true] : [true, false];
    it.concurrent(`${scenario.name}: without a fault`, async () => {
      expect(calls.length).toBeGreaterThan(0);
      expect(found.traces.map((trace) => trace.split(':')[0])).toEqual(scenario.reaches);
      for (const repeats of variants) await runCase(scenario, found, { repeats });
    });
    it.concurrent(`${scenario.name}: each call is throttled once`, () => runCase(scenario, found, { throttled: true }));
    const { all, distinct } = faultsAt(calls);
    for (const fault of everything ? all : distinct) {
      for (const repeats of variants) {
        const name = `${scenario.name}: ${fault.call}: ${fault.kind}${repeats ? '' : ', and nobody asks again'}`;
        it.concurrent(name, () => runCase(scenario, found, { fault, repeats }));
      }
    }
    const faults = { all: all.length * variants.length, distinct: distinct.length * variants.length };
    counted.push({ scenario: scenario.name, calls: calls.length, ...faults });
  }
  afterAll(() => {
    const sum = (of: 'calls' | 'all' | 'distinct') => counted.reduce((total, entry) => total + entry[of], 0);
    const line = (calls: number, all: number, distinct: number) =>
      `${calls} calls, ${all} single faults, of which ${distinct} leave another world behind`;
    const lines = counted.map((entry) => `  ${entry.scenario}: ${line(entry.calls, entry.all, entry.distinct)}`);
    console.info(
      `${line(sum('calls'), sum('all'), sum('distinct'))}; ${everything ? 'all' : 'those'} were run\n${lines.join('\n')}`,
    );
  });
};

/** Lets each scenario say what it prepares without a type parameter at each use. */
export const scenario = <P>(given: Scenario<P>): Scenario => given as Scenario;
