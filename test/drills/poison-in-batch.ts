import { until } from '../../localstack/demo/stage.ts';
import { defineDrill } from './support/drill.ts';
import { outcome, tally } from './support/texts.ts';

const neighbours = 9;

/** One job of a batch of ten ends its worker each time: it must not take the others with it. */
export const poisonInBatch = defineDrill({
  name: 'poison-in-batch',
  title: 'a job that kills its worker, in a batch of ten',
  site: 'shared',
  quick: false,
  expected: {
    'messages that came back': `received 1 × ${neighbours + 1}`,
    killer: 'dead (worker-lost), starts 3',
    neighbours: `succeeded × ${neighbours}`,
    'effects of the neighbours': `7 in 1 write × ${neighbours}`,
    'effect of the killer': 'none',
    'lost starts of a neighbour': 'at most 1',
  },
  run: async (bench) => {
    const { system } = bench;
    await system.setConsumer('paused');
    const others = await Promise.all(
      Array.from({ length: neighbours }, (_, i) =>
        system.accepted(bench.key(i), 'ledger.credit', { account: bench.account(i), amount: 7 }),
      ),
    );
    // The last of the batch, so that its neighbours have started, or nearly, when it ends their process.
    const killer = await system.accepted(bench.key('killer'), 'test.scripted', {
      account: bench.account('killer'),
      amount: 99,
      exit: 99,
    });
    bench.fault('ten messages for one worker, one of which ends its process at every start');
    await system.setConsumer('running');
    await until(
      'the killer started',
      20,
      () => system.job(killer.id),
      (job) => job.starts > 0,
    );
    await bench.look('during');
    // The reconciler may see each lost lease as soon as its grace is over, as it would within the minute.
    const reconciled = async () => {
      await system.reconcile();
      return system.job(killer.id);
    };
    await until('the killer recovered', 20, reconciled, (job) => job.state === 'retrying');
    const left = await system.peek(system.outputs.queueUrl);
    await until('the killer started again', 45, reconciled, (job) => job.starts > 1);
    await bench.look('during');
    const dead = await until('the killer dead', 60, reconciled, (job) => job.state === 'dead');
    const done = await Promise.all(others.map(({ id }) => system.reaches(id, 'succeeded')));
    const effects = await Promise.all(others.map((_, i) => system.ledger(bench.account(i))));
    const lost = done.map((job) => job.history.filter(({ event }) => event === 'recover').length);
    const { writes } = await system.ledger(bench.account('killer'));
    bench.note(`starts of the neighbours: ${tally(done.map((job) => job.starts))} (starts × jobs)`);
    return {
      'messages that came back': tally(left.map((message) => `received ${message.receiveCount}`)),
      killer: outcome(dead),
      neighbours: tally(done.map((job) => job.state)),
      'effects of the neighbours': tally(
        effects.map((e) => `${e.total} in ${e.writes} write${e.writes === 1 ? '' : 's'}`),
      ),
      'effect of the killer': writes === 0 ? 'none' : `${writes} writes`,
      'lost starts of a neighbour': Math.max(...lost) <= 1 ? 'at most 1' : `up to ${Math.max(...lost)}`,
    };
  },
});
