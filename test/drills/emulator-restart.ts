import { until } from '../../localstack/demo/stage.ts';
import { defineDrill } from './support/drill.ts';
import type { SeenJob } from './support/system.ts';
import { tally } from './support/texts.ts';

const queued = 3;
const jobs = queued + 4;

/**
 * Everything stops at once and comes up again on what the emulator had written down. It writes its whole state when it is
 * ended in order, and only then: ended by force, it comes up as it was at the last such end. AWS loses neither.
 */
export const emulatorRestart = defineDrill({
  name: 'emulator-restart',
  title: 'the emulator is restarted with its state kept, in order and by force',
  site: 'restartable',
  quick: false,
  expected: {
    'API while it is down': 'not reachable',
    'jobs right after an end in order': `queued × ${queued + 1}, retrying × 1, running × 1`,
    'slots right after it': String(jobs),
    'capacity and consumer after it': '100, paused',
    'all jobs in the end': `succeeded × ${jobs}`,
    effects: `7 in 1 write × ${jobs}`,
    'not kept: a job accepted before an end by force': '404 job-not-found',
    'the others, taken back to the last end in order': `succeeded × ${jobs}`,
    'their effects': `7 in 1 write × ${jobs}`,
  },
  run: async (bench) => {
    const { system, site } = bench;
    const accept = (name: string | number, script: object = {}, options?: object) =>
      system.accepted(
        bench.key(name),
        'test.scripted',
        { account: bench.account(name), amount: 7, ...script },
        options,
      );
    const lost = await accept('lost', { exit: 1 });
    await system.reaches(lost.id, 'running');
    const retrying = await accept('retrying', { failBefore: 2 });
    const isSecondWait = (job: SeenJob) => job.state === 'retrying' && job.attempt === 2;
    await until('the second wait', 20, () => system.job(retrying.id), isSecondWait);
    const midway = await accept('midway', { hangSeconds: 60 });
    await system.reaches(midway.id, 'running');
    await system.setConsumer('paused');
    const waiting = await Promise.all([
      accept('delayed', {}, { delaySeconds: 5 }),
      ...Array.from({ length: queued }, (_, i) => accept(i)),
    ]);
    const names = ['lost', 'retrying', 'midway', 'delayed', ...Array.from({ length: queued }, (_, i) => i)];
    // What becomes of the job in the middle depends on the moment at which the emulator writes its state down.
    const settledIds = [lost, retrying, ...waiting].map(({ id }) => id);
    const ids = [...settledIds, midway.id];
    const all = (state: string) => Promise.all(ids.map((id) => system.reaches(id, state, 60)));
    const effects = async () => {
      const seen = await Promise.all(names.map((name) => system.ledger(bench.account(name))));
      return tally(seen.map(({ total, writes }) => `${total} in ${writes} write${writes === 1 ? '' : 's'}`));
    };
    await bench.look('during');
    bench.fault('the emulator is ended in order, with a worker in the middle of a job, and started again');
    await site.end('in order');
    const down = await system.status().then(
      () => 'reachable',
      () => 'not reachable',
    );
    await site.start();
    const kept = await Promise.all(settledIds.map((id) => system.job(id)));
    const status = await system.status();
    await bench.look('during');
    await system.setConsumer('running');
    await system.reconcile();
    const done = await all('succeeded');
    const once = await effects();
    await system.setConsumer('paused');
    const unkept = await accept('unkept');
    bench.fault('the emulator is ended by force, so that it cannot write its state down, and started again');
    await site.end('by force');
    await site.start();
    const absent = await system.call<SeenJob>('GET', `/jobs/${unkept.id}`);
    await bench.look('during');
    await system.setConsumer('running');
    await system.reconcile();
    const doneAgain = await all('succeeded');
    bench.note(
      'kept over an end in order: tables, indexes, queues with hidden and delayed messages, functions, mapping, API',
    );
    bench.note(
      'not kept: workers and what they were doing, and after an end by force all that came since the last one in order',
    );
    return {
      'API while it is down': down,
      'jobs right after an end in order': tally(kept.map((job) => job.state)),
      'slots right after it': String(status.inFlight.total),
      'capacity and consumer after it': `${status.capacity}, ${status.consumer}`,
      'all jobs in the end': tally(done.map((job) => job.state)),
      effects: once,
      'not kept: a job accepted before an end by force': `${absent.status} ${absent.body.code ?? absent.body.state}`,
      'the others, taken back to the last end in order': tally(doneAgain.map((job) => job.state)),
      'their effects': await effects(),
    };
  },
});
