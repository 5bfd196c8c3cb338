import { defineDrill } from './support/drill.ts';
import { events, outcome, tally } from './support/texts.ts';

const later = 4;

/** A job may wait for one second in all: its first wait fits, its second would not, so it gives up early. */
export const waitBudget = defineDrill({
  name: 'wait-budget',
  title: 'a wait budget of one wait',
  site: 'shared',
  quick: true,
  expected: {
    job: 'dead (wait-budget-exhausted), starts 2',
    history: 'accept start retry start dead',
    effect: 'none',
    'later jobs': `succeeded × ${later}`,
  },
  run: async (bench) => {
    const { system } = bench;
    const account = bench.account();
    bench.fault('a job that always fails and may wait for 1 s in all; the waits are 1 s, 2 s, …');
    const { id } = await system.accepted(
      bench.key('poison'),
      'test.scripted',
      { account, amount: 99, failBefore: 99 },
      { waitBudgetSeconds: 1 },
    );
    await system.reaches(id, 'retrying');
    await bench.look('during');
    const payload = { account: bench.account('later'), amount: 1 };
    const others = await Promise.all(
      Array.from({ length: later }, (_, i) => system.accepted(bench.key(i), 'ledger.credit', payload)),
    );
    const done = await Promise.all(others.map((job) => system.reaches(job.id, 'succeeded')));
    const dead = await system.reaches(id, 'dead');
    const { writes } = await system.ledger(account);
    return {
      job: outcome(dead),
      history: events(dead),
      effect: writes === 0 ? 'none' : `${writes} writes`,
      'later jobs': tally(done.map((job) => job.state)),
    };
  },
});
