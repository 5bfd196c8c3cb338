import { setTimeout as sleep } from 'node:timers/promises';
import { accountOf, submitAll } from './load.ts';
import type { CountingProxy } from './proxy.ts';
import type { System } from './system.ts';
import { type Tally, tallyOf } from './tally.ts';

/** Counting needs no rounds: the same calls are made each time, up to which shard a batch of jobs happens to lie in. */
export interface Counts {
  /** Jobs that wait in the queue, taken ten at a time. */
  readonly batched: Tally;
  /** A job a second, each consumed alone. */
  readonly alone: Tally;
  /** A known key again. */
  readonly replay: Tally;
}

const jobsBatched = 200;
const jobsAlone = 8;
const replays = 20;
/** Log lines appear shortly after an invocation. */
const logLagMs = 500;

export class Counter {
  readonly #proxy: CountingProxy;
  constructor(proxy: CountingProxy) {
    this.#proxy = proxy;
  }

  /** Leads the calls of both functions through the proxy, from now on. */
  async attach(system: System): Promise<void> {
    const { apiFunction, consumerFunction } = system.deployed;
    await system.route(apiFunction, await this.#proxy.open('api'));
    await system.route(consumerFunction, await this.#proxy.open('consumer'));
  }

  /** What these jobs cost, all of it: the work ends when nothing is in the queue any more. */
  async count(system: System, jobs: number, work: () => Promise<void>): Promise<Tally> {
    await sleep(logLagMs);
    this.#proxy.take();
    const since = Date.now();
    await work();
    await sleep(logLagMs);
    const calls = this.#proxy.take();
    const { apiFunction, consumerFunction } = system.deployed;
    const api = await system.invocations(apiFunction, since);
    const consumer = await system.invocations(consumerFunction, since);
    return tallyOf(calls, jobs, { api: api.count, consumer: consumer.count }, system.name === 'sluice');
  }

  async ordinary(system: System): Promise<Counts> {
    const batched = await this.count(system, jobsBatched, async () => {
      await system.consume(false);
      await submitAll(system, 'batched-', jobsBatched, 4);
      await system.consume(true);
      await system.drained();
    });
    const alone = await this.count(system, jobsAlone, async () => {
      for (let i = 0; i < jobsAlone; i += 1) {
        await system.submit(`alone-${i}`, accountOf(i));
        await sleep(1_100);
      }
      await system.drained();
    });
    const replay = await this.count(system, replays, async () => {
      for (let i = 0; i < replays; i += 1) {
        const payload = { account: accountOf(i), amount: 1 };
        const { status } = await system.api.submit(`batched-${i}`, 'ledger.credit', payload);
        if (status !== 200 && status !== 202) throw new Error(`a replay was answered ${status}`);
      }
    });
    return { batched, alone, replay };
  }
}
