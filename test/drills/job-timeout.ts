import { localLimits } from '#core/limits.ts';
import { creditAccount } from '#functions/jobs/ledger-credit.ts';
import type { Clock } from '#functions/ports.ts';
import { Deliveries, Worker } from '../support/workers/worker.ts';
import type { Bench } from './support/bench.ts';
import { defineDrill } from './support/drill.ts';
import { makeGate } from './support/gate.ts';
import { effect, events, tally } from './support/texts.ts';

const beside = 5;

/** A handler does not come to its end: its batch goes on, it is told to stop, and what it returns late changes nothing. */
export const jobTimeout = defineDrill({
  name: 'job-timeout',
  title: 'a job exceeds its timeout',
  site: 'shared',
  quick: false,
  expected: {
    'jobs beside it': `succeeded × ${beside}, all before it timed out`,
    'hanging job': 'accept start retry(timeout) start succeed',
    'effect of the hanging job': '7 in 1 write',
    'signal of a hung handler': 'TimeoutError, after 2 s',
    'its late return': '7 in 1 write',
    'late result of a frozen worker': 'fenced × 1',
    'effect in spite of it': '7 in 1 write',
  },
  run: async (bench) => {
    const deployed = await hangDeployed(bench);
    const { system } = bench;
    await system.setConsumer('paused');
    const deliveries = new Deliveries(system.outputs);
    const [hung, frozen] = await Promise.all([hangInSight(bench, deliveries), freeze(bench, deliveries)]);
    return { ...deployed, ...hung, ...frozen };
  },
});

/** On the deployed consumer: one batch, in which one handler hangs for longer than the stage allows. */
const hangDeployed = async (bench: Bench) => {
  const { system } = bench;
  await system.setConsumer('paused');
  const account = bench.account('hanging');
  const hanging = await system.accepted(bench.key('hanging'), 'test.scripted', { account, amount: 7, hangSeconds: 60 });
  const others = await Promise.all(
    Array.from({ length: beside }, (_, i) =>
      system.accepted(bench.key(i), 'ledger.credit', { account: bench.account('beside'), amount: 1 }),
    ),
  );
  bench.fault(
    `a handler that hangs for 60 s where ${localLimits.jobTimeoutSeconds} s are allowed, in a batch of ${beside + 1}`,
  );
  await system.setConsumer('running');
  const done = await Promise.all(others.map(({ id }) => system.reaches(id, 'succeeded')));
  await bench.look('during');
  const ended = await system.reaches(hanging.id, 'succeeded');
  const timedOutAt = ended.history.find(({ event }) => event === 'retry')?.at ?? '';
  const history = ended.history.map(({ event, detail }) => (event === 'retry' ? `retry(${detail?.code})` : event));
  const before = done.every((job) => job.updatedAt < timedOutAt);
  return {
    'jobs beside it': `${tally(done.map((job) => job.state))}, ${before ? 'all' : 'not all'} before it timed out`,
    'hanging job': history.join(' '),
    'effect of the hanging job': effect(await system.ledger(account)),
  };
};

/** The same in this process, where its signal can be seen, and its late return held back until another start is done. */
const hangInSight = async (bench: Bench, deliveries: Deliveries) => {
  const { system } = bench;
  const account = bench.account('hung');
  const late = makeGate();
  let signalled = 'never';
  const worker = new Worker(system.outputs, {
    run: async ({ payload, starts, signal }) => {
      const from = Date.now();
      signal.addEventListener('abort', () => {
        signalled = `${(signal.reason as Error).name}, after ${Math.round((Date.now() - from) / 1_000)} s`;
      });
      // It ignores the signal.
      if (starts === 1) await late.pass();
      return { writes: [creditAccount(payload)] };
    },
  });
  const { id } = await system.accepted(bench.key('hung'), 'ledger.credit', { account, amount: 7 });
  await deliveries.serve(worker, id, async () => (await system.job(id)).state === 'succeeded');
  bench.fault('the hung handler returns after its job was done by another start');
  late.open();
  // Whatever the late return sets off must be through before the ledger is read: a finish takes one call.
  await system.job(id);
  return { 'signal of a hung handler': signalled, 'its late return': effect(await system.ledger(account)) };
};

/**
 * A worker that stands still as a whole, its timers included, as a frozen execution environment does: nothing times it
 * out, so that it goes on to its finish when it wakes.
 */
const freeze = async (bench: Bench, deliveries: Deliveries) => {
  const { system } = bench;
  const account = bench.account('frozen');
  const asleep = makeGate();
  const stopped: Clock = { now: () => Date.now(), wait: () => new Promise<void>(() => undefined) };
  const frozen = new Worker(system.outputs, {
    clock: stopped,
    run: async ({ payload }) => {
      await asleep.pass();
      return { writes: [creditAccount(payload)] };
    },
  });
  const second = new Worker(system.outputs, { run: ({ payload }) => ({ writes: [creditAccount(payload)] }) });
  const { id } = await system.accepted(bench.key('frozen'), 'ledger.credit', { account, amount: 7 });
  const first = await deliveries.take(id, 1);
  const sleeping = frozen.handle(first, 3);
  await asleep.reached;
  await deliveries.serve(second, id, async () => (await system.job(id)).state === 'succeeded');
  bench.fault('a worker wakes up after its lease ended and another has finished its job');
  asleep.open();
  await sleeping;
  bench.trace(`history of the frozen worker's job: ${events(await system.job(id))}`);
  return {
    'late result of a frozen worker': tally(frozen.noted('FenceRejected').map(({ code }) => code)),
    'effect in spite of it': effect(await system.ledger(account)),
  };
};
