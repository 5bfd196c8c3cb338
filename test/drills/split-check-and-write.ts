import { creditAccount } from '#functions/jobs/ledger-credit.ts';
import { Deliveries, Worker } from '../support/workers/worker.ts';
import type { Bench } from './support/bench.ts';
import { defineDrill } from './support/drill.ts';
import { makeBarrier } from './support/gate.ts';
import { StockTables } from './support/stock.ts';
import { effect, tally } from './support/texts.ts';

/**
 * One message is delivered twice at the same moment. Who checks and writes in two steps does the effect twice, whenever
 * both checks come before both writes; the barrier makes sure that they always do. Ours checks in the write itself.
 */
export const splitCheckAndWrite = defineDrill({
  name: 'split-check-and-write',
  title: 'two deliveries at once; a split check and write beside ours',
  site: 'shared',
  quick: true,
  expected: {
    'split: effect': '14 in 2 writes',
    'ours: effect': '7 in 1 write',
    'ours: deliveries that started the job': '1 of 2',
    'ours: the other delivery': 'running × 1',
  },
  run: async (bench) => ({ ...(await split(bench)), ...(await ours(bench)) }),
});

/** The broken variant: it lives only here. */
const split = async (bench: Bench) => {
  const tables = await StockTables.create(bench.system.outputs);
  try {
    const request = { key: bench.key('split'), account: bench.account('split'), amount: 7 };
    const bothChecked = makeBarrier(2);
    const consume = async () => {
      const done = await tables.isProcessed(request.key);
      await bothChecked();
      if (done) return;
      await tables.credit(request);
      await tables.markProcessed(request.key);
    };
    bench.fault('split: both deliveries check before either writes');
    await Promise.all([consume(), consume()]);
    return { 'split: effect': effect(await tables.ledger(request.account)) };
  } finally {
    await tables.remove();
  }
};

const ours = async (bench: Bench) => {
  const { system } = bench;
  await system.setConsumer('paused');
  const deliveries = new Deliveries(system.outputs);
  const account = bench.account('ours');
  const bothAtTheStart = makeBarrier(2);
  const worker = () =>
    new Worker(system.outputs, {
      run: async ({ payload }) => {
        await bench.look('during');
        return { writes: [creditAccount(payload)] };
      },
      store: (real) => ({
        start: async (...call) => {
          await bothAtTheStart();
          return real.start(...call);
        },
      }),
    });
  const workers = [worker(), worker()];
  const { id } = await system.accepted(bench.key('ours'), 'ledger.credit', { account, amount: 7 });
  const message = await deliveries.take(id);
  bench.fault('ours: both deliveries of one message send their start at the same moment');
  const verdicts = await Promise.all(workers.map((w) => w.handle(message, 3)));
  if (verdicts.includes('acknowledge')) await deliveries.acknowledge(message);
  await system.reaches(id, 'succeeded');
  const started = workers.filter((w) => w.noted('AttemptsStarted').length > 0).length;
  return {
    'ours: effect': effect(await system.ledger(account)),
    'ours: deliveries that started the job': `${started} of ${workers.length}`,
    'ours: the other delivery': tally(workers.flatMap((w) => w.noted('PutOffs')).map(({ code }) => code)),
  };
};
