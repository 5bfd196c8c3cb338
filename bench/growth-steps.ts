import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { deadBucketNames, recentBucketNames } from '../functions/adapters/job-item.ts';
import { emulatorCredentials, emulatorRegion } from '../localstack/places.ts';
import type { Bench } from './deployment.ts';
import { accountOf, submitAll } from './load.ts';
import type { CountingProxy } from './proxy.ts';
import type { Seeder } from './seed.ts';
import { median } from './statistics.ts';
import { type Tally, tallyOf } from './tally.ts';

/** One thing done at one size: what it cost, for each of `per`. */
export interface GrowthRow {
  readonly what: string;
  readonly size: number;
  readonly per: string;
  readonly tally: Tally;
  readonly milliseconds: number;
}

const measuredJobs = 60;
const redriven = 25;

/** The steps, each at whatever size the table, the backlog or the dead have reached. */
export class GrowthSteps {
  readonly #bench: Bench;
  readonly #proxy: CountingProxy;
  readonly #seeder: Seeder;
  readonly #lambda: LambdaClient;
  readonly #dynamo: DynamoDBClient;
  #run = 0;
  readonly rows: GrowthRow[] = [];

  constructor(bench: Bench, proxy: CountingProxy, seeder: Seeder) {
    this.#bench = bench;
    this.#proxy = proxy;
    this.#seeder = seeder;
    const config = { endpoint: bench.outputs.endpointUrl, region: emulatorRegion, credentials: emulatorCredentials };
    this.#lambda = new LambdaClient(config);
    this.#dynamo = new DynamoDBClient(config);
  }

  async submitInBulk(count: number): Promise<void> {
    this.#run += 1;
    for (let at = 0; at < count; at += 25) {
      const jobs = Array.from({ length: Math.min(25, count - at) }, (_, i) => ({
        key: `backlog-${this.#run}-${at + i}`,
        type: 'ledger.credit',
        payload: { account: accountOf(at + i), amount: 1 },
      }));
      await this.#call('POST', '/jobs/batch', { jobs });
    }
  }

  /** A job from its submission to its end, with so many ended ones in the table. */
  async job(size: number): Promise<void> {
    const { sluice } = this.#bench;
    this.#run += 1;
    await sluice.consume(false);
    await this.#measured('a job, with ended ones in the table', size, 'job', measuredJobs, async () => {
      const times = await submitAll(sluice, `grown-${this.#run}-`, measuredJobs, 1);
      await sluice.consume(true);
      await sluice.drained();
      return median(times);
    });
  }

  /** A submission, with so many jobs waiting. */
  async submission(size: number): Promise<void> {
    this.#run += 1;
    await this.#measured('a submission, with jobs waiting', size, 'job', measuredJobs, async () =>
      median(await submitAll(this.#bench.sluice, `waiting-${this.#run}-`, measuredJobs, 1)),
    );
  }

  async drain(size: number, jobs: number): Promise<void> {
    await this.#measured('consuming a backlog', size, 'job', jobs, async () => {
      const at = performance.now();
      await this.#bench.sluice.consume(true);
      await this.#bench.sluice.drained(jobs);
      return (performance.now() - at) / jobs;
    });
  }

  async list(what: string, path: `/${string}`, size: number): Promise<void> {
    await this.#measured(what, size, 'page', 1, async () => this.#timed('GET', path));
  }

  /** What the emulator itself takes for one such query, beside the pages that make several. */
  async bareQuery(index: 'recent' | 'dead', size: number): Promise<void> {
    const [key, names] =
      index === 'recent' ? (['recentBucket', recentBucketNames] as const) : (['deadBucket', deadBucketNames] as const);
    await this.#measured(`a bare query of the index ${index}`, size, 'query', 1, async () => {
      const at = performance.now();
      await this.#dynamo.send(
        new QueryCommand({
          TableName: this.#bench.outputs.jobsTableName,
          IndexName: index,
          KeyConditionExpression: '#bucket = :bucket',
          ExpressionAttributeNames: { '#bucket': key },
          ExpressionAttributeValues: { ':bucket': { S: names[0] ?? '' } },
          ScanIndexForward: false,
          Limit: 50,
        }),
      );
      return performance.now() - at;
    });
  }

  async redrive(size: number): Promise<void> {
    await this.#measured(`redriving ${redriven} of the dead`, size, 'job', redriven, async () => {
      const took = await this.#timed('POST', '/operator/dead/redrive', { all: true, limit: redriven });
      await this.#bench.sluice.drained();
      return took / redriven;
    });
  }

  async reconcile(size: number): Promise<void> {
    await this.#measured('a run of the reconciler, with jobs in flight', size, 'run', 1, async () => {
      const at = performance.now();
      await this.#lambda.send(new InvokeCommand({ FunctionName: this.#bench.outputs.reconcileFunctionName }));
      return performance.now() - at;
    });
  }

  async copies(state: string, count: number): Promise<void> {
    const template = await this.#seeder.recordIn(state);
    if (template === undefined) throw new Error(`there is no record in ${state} to be copied`);
    await this.#seeder.copies(template, count);
  }

  async #measured(what: string, size: number, per: string, n: number, work: () => Promise<number>): Promise<void> {
    this.#proxy.take();
    const milliseconds = await work();
    const tally = tallyOf(this.#proxy.take(), n, { api: 0, consumer: 0 }, true);
    this.rows.push({ what, size, per, tally, milliseconds });
  }

  async #timed(method: 'GET' | 'POST', path: `/${string}`, body?: unknown): Promise<number> {
    const at = performance.now();
    await this.#call(method, path, body);
    return performance.now() - at;
  }

  async #call(method: 'GET' | 'POST', path: `/${string}`, body?: unknown): Promise<void> {
    const { status, text } = await this.#bench.sluice.api.call(method, path, body);
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${text}`);
  }
}
