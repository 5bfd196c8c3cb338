import { submitAll } from './load.ts';
import { quantile } from './statistics.ts';
import type { System } from './system.ts';

/** About what a call to DynamoDB or SQS takes within a region; the emulator's take a millisecond or two. */
export const delayMs = 5;

/** What one round found of one build. Times in milliseconds, rates in jobs a second. */
export interface Round {
  readonly submit: readonly { readonly clients: number; readonly p50: number; readonly p95: number }[];
  readonly drainRate: number;
  readonly endToEndRate: number;
  readonly lambdaMs: { readonly api: number; readonly consumer: number };
}

const submitSteps = [
  { clients: 1, jobs: 60 },
  { clients: 4, jobs: 100 },
  { clients: 16, jobs: 160 },
] as const;
const endToEnd = { clients: 8, jobs: 240 } as const;

/** Workers, connections and code are warm afterwards. */
export const warmUp = async (system: System, tag: string): Promise<void> => {
  await system.consume(true);
  await submitAll(system, `warm-${tag}-`, 80, 16);
  await system.drained();
};

/**
 * One round of one build: submissions while nothing is consumed, the drain of what they left, and then both at once.
 * When a job ended is taken from its own record, so that no polling of ours stands between.
 */
export const runRound = async (system: System, tag: string): Promise<Round> => {
  await system.consume(false);
  const submit = [];
  for (const { clients, jobs } of submitSteps) {
    const times = await submitAll(system, `${tag}-s${clients}-`, jobs, clients);
    submit.push({ clients, p50: quantile(times, 0.5), p95: quantile(times, 0.95) });
  }
  await system.consume(true);
  await system.drained();
  const drained = await system.endsOf(`${tag}-s`);
  const drainSeconds = ((drained.at(-1) ?? 0) - (drained[0] ?? 0)) / 1_000;

  const startedAt = Date.now();
  await submitAll(system, `${tag}-e`, endToEnd.jobs, endToEnd.clients);
  await system.drained();
  const ended = await system.endsOf(`${tag}-e`);
  const { apiFunction, consumerFunction } = system.deployed;
  const [api, consumer] = await Promise.all([
    system.invocations(apiFunction, startedAt),
    system.invocations(consumerFunction, startedAt),
  ]);
  return {
    submit,
    drainRate: (drained.length - 1) / drainSeconds,
    endToEndRate: (ended.length * 1_000) / ((ended.at(-1) ?? 0) - startedAt),
    lambdaMs: { api: api.milliseconds / endToEnd.jobs, consumer: consumer.milliseconds / endToEnd.jobs },
  };
};
