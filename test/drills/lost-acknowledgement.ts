import { IdempotencyAlreadyInProgressError } from '@aws-lambda-powertools/idempotency';
import { creditAccount } from '#functions/jobs/ledger-credit.ts';
import { until } from '../../localstack/demo/stage.ts';
import { Deliveries, Worker } from '../support/workers/worker.ts';
import type { Bench } from './support/bench.ts';
import { defineDrill } from './support/drill.ts';
import { makeGate } from './support/gate.ts';
import { StockTables } from './support/stock.ts';
import { effect } from './support/texts.ts';

/**
 * A worker dies when its effect may be done and nothing says so. Stock idempotency guards the call: effect and record are
 * two writes, and the redelivery does the effect again. Here both are one transaction, so there is no moment between.
 */
export const lostAcknowledgement = defineDrill({
  name: 'lost-acknowledgement',
  title: 'a worker dies before its work is recorded; stock Powertools beside ours',
  site: 'shared',
  quick: true,
  expected: {
    'stock: died between effect and save': '14 in 2 writes',
    'ours: died before the finish': '7 in 1 write, starts 2',
    'ours: died right after the finish': '7 in 1 write, starts 1',
  },
  run: async (bench) => {
    const { system } = bench;
    await system.setConsumer('paused');
    const deliveries = new Deliveries(system.outputs);
    const [stock, before, after] = await Promise.all([
      stockDies(bench),
      oursDies(bench, deliveries, 'before'),
      oursDies(bench, deliveries, 'after'),
    ]);
    return {
      'stock: died between effect and save': stock,
      'ours: died before the finish': before,
      'ours: died right after the finish': after,
    };
  },
});

const stockDies = async (bench: Bench): Promise<string> => {
  const tables = await StockTables.create(bench.system.outputs);
  try {
    const request = { key: bench.key('stock'), account: bench.account('stock'), amount: 7 };
    const death = makeGate();
    const first = tables.worker(async () => {
      await tables.credit(request);
      // Never opened: the worker is dead from here on, and its save is never sent.
      await death.pass();
    });
    void first(request);
    await death.reached;
    bench.fault('stock: the worker dies after its effect and before Powertools saves it; the message comes again');
    const second = tables.worker(() => tables.credit(request));
    await until(
      'the redelivery done',
      15,
      () => deliver(second, request),
      (done) => done,
    );
    return effect(await tables.ledger(request.account));
  } finally {
    await tables.remove();
  }
};

/** False: the record of the dead worker still counts as in progress, and the message would come yet again. */
const deliver = async <T>(worker: (request: T) => Promise<unknown>, request: T): Promise<boolean> => {
  try {
    await worker(request);
    return true;
  } catch (error) {
    if (error instanceof IdempotencyAlreadyInProgressError) return false;
    throw error;
  }
};

const oursDies = async (bench: Bench, deliveries: Deliveries, when: 'before' | 'after'): Promise<string> => {
  const { system } = bench;
  const account = bench.account(when);
  const death = makeGate();
  const dying = new Worker(system.outputs, {
    run: ({ payload }) => ({ writes: [creditAccount(payload)] }),
    store: (real) => ({
      finish: async (...call) => {
        const finished = when === 'after' ? await real.finish(...call) : undefined;
        await death.pass();
        if (finished === undefined) throw new Error('a dead worker goes no further');
        return finished;
      },
    }),
  });
  const healthy = new Worker(system.outputs, { run: ({ payload }) => ({ writes: [creditAccount(payload)] }) });
  const { id } = await system.accepted(bench.key(when), 'ledger.credit', { account, amount: 7 });
  const first = await deliveries.take(id, 1);
  void dying.handle(first, 3);
  await death.reached;
  bench.fault(`ours: the worker dies ${when} the transaction of effect and finish; the message comes again`);
  if (when === 'before') await bench.look('during');
  // The message of a job that has ended still comes back, since nobody acknowledged it.
  const again = await deliveries.take(id);
  if ((await healthy.handle(again, 3)) === 'acknowledge') await deliveries.acknowledge(again);
  await deliveries.serve(healthy, id, async () => (await system.job(id)).state === 'succeeded');
  return `${effect(await system.ledger(account))}, starts ${(await system.job(id)).starts}`;
};
