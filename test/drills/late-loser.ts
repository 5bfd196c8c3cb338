import { IdempotencyAlreadyInProgressError } from '@aws-lambda-powertools/idempotency';
import { creditAccount } from '#functions/jobs/ledger-credit.ts';
import { until } from '../../localstack/demo/stage.ts';
import { Deliveries, Worker } from '../support/workers/worker.ts';
import type { Bench } from './support/bench.ts';
import { defineDrill } from './support/drill.ts';
import { makeGate } from './support/gate.ts';
import { StockTables } from './support/stock.ts';
import { effect, tally } from './support/texts.ts';

/**
 * A worker loses its lease, another one finishes the job, then the first one's save arrives. Stock saves carry no owner
 * condition, so the loser's result replaces the winner's; ours are fenced by the owner that each start writes.
 */
export const lateLoser = defineDrill({
  name: 'late-loser',
  title: 'a late result meets a finished job; stock Powertools beside ours',
  site: 'shared',
  quick: true,
  expected: {
    'stock: result on record': 'of the loser',
    'stock: effect': '14 in 2 writes',
    'ours: result on record': 'of the winner',
    'ours: effect': '7 in 1 write',
    'ours: late finish': 'fenced × 1',
  },
  run: async (bench) => {
    await bench.system.setConsumer('paused');
    const [stock, ours] = await Promise.all([stockLoses(bench), oursLoses(bench)]);
    return { ...stock, ...ours };
  },
});

const stockLoses = async (bench: Bench) => {
  const tables = await StockTables.create(bench.system.outputs);
  try {
    const request = { key: bench.key('stock'), account: bench.account('stock'), amount: 7 };
    const asleep = makeGate();
    const loser = tables.worker(async () => {
      await tables.credit(request);
      await asleep.pass();
      return { by: 'loser' };
    });
    const winner = tables.worker(async () => {
      await tables.credit(request);
      return { by: 'winner' };
    });
    const losing = loser(request);
    await asleep.reached;
    const won = async () => {
      try {
        return await winner(request);
      } catch (error) {
        if (error instanceof IdempotencyAlreadyInProgressError) return undefined;
        throw error;
      }
    };
    await until('the winner done', 15, won, (result) => result !== undefined);
    bench.fault('stock: the first worker wakes up and saves its result after the second has saved its own');
    asleep.open();
    await losing;
    const stored = (await tables.storedResult()) as { by?: string } | undefined;
    return {
      'stock: result on record': `of the ${stored?.by}`,
      'stock: effect': effect(await tables.ledger(request.account)),
    };
  } finally {
    await tables.remove();
  }
};

const oursLoses = async (bench: Bench) => {
  const { system } = bench;
  const deliveries = new Deliveries(system.outputs);
  const account = bench.account('ours');
  const asleep = makeGate();
  const loser = new Worker(system.outputs, {
    run: ({ payload }) => ({ writes: [creditAccount(payload)], result: { by: 'loser' } }),
    store: (real) => ({
      finish: async (...call) => {
        await asleep.pass();
        return real.finish(...call);
      },
    }),
  });
  const winner = new Worker(system.outputs, {
    run: ({ payload }) => ({ writes: [creditAccount(payload)], result: { by: 'winner' } }),
  });
  const { id } = await system.accepted(bench.key('ours'), 'ledger.credit', { account, amount: 7 });
  const losing = loser.handle(await deliveries.take(id, 1), 3);
  await asleep.reached;
  await bench.look('during');
  await deliveries.serve(winner, id, async () => (await system.job(id)).state === 'succeeded');
  bench.fault('ours: the first worker wakes up and sends its finish after the second has finished the job');
  asleep.open();
  await losing;
  return {
    'ours: result on record': `of the ${(await system.job(id)).result?.['by']}`,
    'ours: effect': effect(await system.ledger(account)),
    'ours: late finish': tally(loser.noted('FenceRejected').map(({ code }) => code)),
  };
};
