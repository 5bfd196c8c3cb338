import { expect, inject, test } from 'vitest';
import { soak } from './support/soak.ts';
import { canSeeWorkers } from './support/workers.ts';

const site = { outputs: inject('localOutputs'), emulatorPid: inject('emulatorPid') };

/**
 * The same as `npm run soak`, without cuts and too short to judge how memory grows; `test/judges/soak-memory.test.ts` has
 * that. An engine in a container shows none of its processes.
 */
test.skipIf(!canSeeWorkers() || site.emulatorPid === 0)(
  'G1 to G8: fifteen seconds of every kind of job, pauses, killed workers and redrives: nothing lost, nothing twice',
  { timeout: 300_000 },
  async () => {
    const record = await soak(site, { seconds: 15, progress: () => undefined });
    expect(record.findings.filter(({ faults }) => faults.length > 0)).toEqual([]);
    expect(record.jobs).toBeGreaterThan(50);
    // What was to be lived through came.
    for (const name of ['consumer paused', 'dead jobs redriven', 'worker killed'])
      expect(record.disturbances[name], name).toBeGreaterThan(0);
    expect(record.answers['submit 200'], 'replays').toBeGreaterThan(0);
    expect(record.states['succeeded']).toBeGreaterThan(record.jobs / 3);
    expect(new Set(record.samples.map(({ pid }) => pid)).size, 'processes seen').toBeGreaterThan(1);
  },
);
