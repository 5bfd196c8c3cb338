import { until } from '../../localstack/demo/stage.ts';
import { defineDrill } from './support/drill.ts';
import { effect, events, outcome } from './support/texts.ts';

/** A worker's process ends while it runs a job: nobody reports anything, and the lease alone tells that it is lost. */
export const workerExits = defineDrill({
  name: 'worker-exits',
  title: 'a worker exits in the middle of a job',
  site: 'shared',
  quick: false,
  expected: {
    job: 'succeeded, starts 2',
    history: 'accept start recover start succeed',
    effect: '7 in 1 write',
    'while its worker is dead': 'running, and its slot is held',
  },
  run: async (bench) => {
    const { system } = bench;
    const account = bench.account();
    bench.fault('a job that ends the process of its first worker');
    const { id } = await system.accepted(bench.key('job'), 'test.scripted', { account, amount: 7, exit: 1 });
    const running = await system.reaches(id, 'running');
    const counts = await bench.look('during');
    // The reconciler finds the lost lease when the grace is over; the message comes back when its visibility is.
    await until(
      'the lost start recovered',
      20,
      async () => {
        await system.reconcile();
        return system.job(id);
      },
      (job) => job.state !== 'running',
    );
    await bench.look('during');
    const done = await system.reaches(id, 'succeeded');
    const took = (Date.parse(done.updatedAt) - Date.parse(running.submittedAt)) / 1_000;
    bench.note(`done ${took.toFixed(1)} s after it was accepted: the message was hidden for the queue's visibility`);
    return {
      job: outcome(done),
      history: events(done),
      effect: effect(await system.ledger(account)),
      'while its worker is dead': `${running.state}, and its slot is ${counts.slots === 1 ? 'held' : 'not held'}`,
    };
  },
});
