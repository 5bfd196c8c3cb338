import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { jobOf } from '#adapters/jobs-table.ts';
import { isInFlight, type Job } from '#core/job.ts';
import { localLimits } from '#core/limits.ts';
import { readAllShards, readControl } from '#flow/registry.ts';
import { everyItem } from '#test/support/every-item.ts';
import { connectionTo } from '#test/support/workers/place.ts';
import { worldOn } from '#test/support/workers/world.ts';
import type { LocalOutputs } from '../../../localstack/outputs.ts';

/** Every job that there is, by id. */
export const everyJob = async (outputs: LocalOutputs): Promise<ReadonlyMap<string, Job>> => {
  const jobs = (await everyItem(outputs, outputs.jobsTableName)).flatMap((item) => jobOf(item) ?? []);
  return new Map(jobs.map((job) => [job.id, job]));
};

/** The tokens that the registry holds. */
const takenTokens = async (outputs: LocalOutputs): Promise<readonly string[]> => {
  const dynamo = new DynamoDBClient(connectionTo(outputs));
  const telemetry = { note: () => undefined, gauge: () => undefined };
  const world = worldOn(outputs, { dynamo, limits: localLimits, telemetry });
  try {
    const shards = await readAllShards(world, await readControl(world));
    return shards.flatMap((shard) => shard?.members ?? []);
  } finally {
    dynamo.destroy();
  }
};

/** G8: what the registry and the jobs in flight do not have in common, while nothing moves. */
export const faultsInSlots = async (outputs: LocalOutputs, expected: number): Promise<readonly string[]> => {
  const [tokens, jobs] = await Promise.all([takenTokens(outputs), everyJob(outputs)]);
  const inFlight = [...jobs.values()].filter(isInFlight);
  const taken = new Set(tokens);
  const carried = new Set(inFlight.map((job) => job.slot.token));
  return [
    ...(inFlight.length === expected ? [] : [`${inFlight.length} jobs are in flight, not ${expected}`]),
    ...[...carried.difference(taken)].map((token) => `G8: a job in flight without its slot ${token}`),
    ...[...taken.difference(carried)].map((token) => `G8: a slot without a job in flight ${token}`),
    ...(tokens.length === taken.size ? [] : ['G8: a token lies in two shards']),
  ];
};
