import { systemClock } from '#adapters/system-world.ts';
import type { SeenJob, System } from '../../drills/support/system.ts';
import { reasonCode } from '../../drills/support/texts.ts';
import { endingPart } from './expectations.ts';
import type { SoakSite } from './site.ts';
import { workersOf } from './workers.ts';

/** What somebody or something does to the system while it works. */
interface Disturbance {
  readonly name: string;
  /** On average, in a long soak. */
  readonly everySeconds: number;
  /** It ends processes, or may make the emulator end them: only in the first part of a soak. */
  readonly endsProcesses?: true;
  /** False: there was nothing to be done. */
  act(context: Context): Promise<boolean>;
}

interface Context {
  readonly site: SoakSite;
  readonly system: System;
  /** What the keys of the soak's own jobs begin with. */
  readonly run: string;
  readonly stop: AbortSignal;
}

export const stageCapacity = 100;
const redrivenAtOnce = 25;
const discardedAtOnce = 10;

const lasting = (seconds: number, stop: AbortSignal): Promise<void> =>
  systemClock.wait(seconds * (0.5 + Math.random()) * 1_000, stop);

const operate = async (system: System, path: `/operator/${string}`, body: object): Promise<unknown> => {
  const answer = await system.call<unknown>('POST', path, body);
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
};

const ownDead = async ({ system, run }: Context, which: (job: SeenJob) => boolean, most: number) =>
  (await system.dead())
    .filter((job) => job.key?.startsWith(`${run}.`) && which(job))
    .slice(0, most)
    .map(({ id }) => id);

const pick = <T>(values: readonly T[]): T | undefined => values[Math.floor(Math.random() * values.length)];

const disturbances: readonly Disturbance[] = [
  {
    name: 'consumer paused',
    everySeconds: 25,
    act: async ({ system, stop }) => {
      await system.setConsumer('paused');
      await lasting(3, stop);
      await system.setConsumer('running');
      return true;
    },
  },
  {
    name: 'capacity lowered',
    everySeconds: 40,
    act: async ({ system, stop }) => {
      await system.setCapacity(10);
      await lasting(3, stop);
      await system.setCapacity(stageCapacity);
      return true;
    },
  },
  {
    name: 'intake closed',
    everySeconds: 60,
    act: async ({ system, stop }) => {
      await operate(system, '/operator/intake', { state: 'closed' });
      await lasting(1, stop);
      await operate(system, '/operator/intake', { state: 'open' });
      return true;
    },
  },
  {
    name: 'dead jobs redriven',
    everySeconds: 10,
    act: async (context) => {
      const ids = await ownDead(context, () => true, redrivenAtOnce);
      if (ids.length > 0) await operate(context.system, '/operator/dead/redrive', { ids });
      return ids.length > 0;
    },
  },
  {
    name: 'broken jobs discarded',
    everySeconds: 30,
    act: async (context) => {
      const ids = await ownDead(context, (job) => reasonCode(job) === 'permanent-error', discardedAtOnce);
      if (ids.length > 0) await operate(context.system, '/operator/dead/discard', { ids });
      return ids.length > 0;
    },
  },
  {
    name: 'worker killed',
    everySeconds: 20,
    endsProcesses: true,
    act: async ({ site }) => {
      const { consumerFunctionName } = site.outputs;
      const victim = pick(
        workersOf(site.emulatorPid).filter(({ functionName }) => functionName === consumerFunctionName),
      );
      if (victim !== undefined) process.kill(victim.pid, 'SIGKILL');
      return victim !== undefined;
    },
  },
  {
    name: 'service cut off',
    everySeconds: 45,
    // A silent one outlasts the time of a function.
    endsProcesses: true,
    act: async ({ site, stop }) => {
      const relay = pick(site.relays === undefined ? [] : [site.relays.sqs, site.relays.dynamodb]);
      if (relay === undefined) return false;
      await relay.cut(Math.random() < 0.5 ? 'refused' : 'silent');
      await lasting(2, stop);
      await relay.restore();
      return true;
    },
  },
];

/** Everything as it was before: nothing paused, closed or cut. */
export const restore = async ({ relays }: SoakSite, system: System): Promise<void> => {
  await Promise.all([relays?.sqs.restore(), relays?.dynamodb.restore()]);
  await operate(system, '/operator/intake', { state: 'open' });
  await system.setCapacity(stageCapacity);
  await system.setConsumer('running');
};

/** Each is let loose at least this often, also in a short soak. */
const timesMin = 3;

/** Lets them loose, each at its own times, until the soak stops. Returns how often each came. */
export const disturb = async (
  context: Context,
  seconds: number,
  mayEndProcesses: () => boolean,
): Promise<ReadonlyMap<string, number>> => {
  const counts = new Map<string, number>();
  const letLoose = async ({ name, everySeconds, endsProcesses, act }: Disturbance) => {
    const phase = endsProcesses ? seconds * endingPart : seconds;
    const every = Math.min(everySeconds, phase / (timesMin + 1));
    while (!context.stop.aborted) {
      await lasting(every, context.stop);
      if (context.stop.aborted || (endsProcesses && !mayEndProcesses())) return;
      if (await act(context)) counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  };
  await Promise.all(disturbances.map(letLoose));
  return counts;
};
