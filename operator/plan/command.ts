import { type Command, InvalidArgumentError } from 'commander';
import { bounds, productionLimits } from '#core/limits.ts';
import { examples, type GlobalOptions, type Run } from '../cli/commands/command.ts';
import { oneOf, whole } from '../cli/commands/parse.ts';
import { exit, UsageError } from '../cli/exit.ts';
import type { Io } from '../cli/io.ts';
import { showProgress } from '../cli/render/bar.ts';
import { planFor, type Question } from './plan.ts';
import { quotas } from './quotas.ts';
import { planLines } from './report.ts';
import { distributions, type Workload } from './workload.ts';

interface PlanOptions extends GlobalOptions {
  readonly arrival: number;
  readonly service: number;
  readonly distribution: Workload['distribution'];
  readonly spread: number;
  readonly fail: number;
  readonly overhead: number;
  readonly api: number;
  readonly bulk: number;
  readonly writes: number;
  readonly tenants: number;
  readonly waitP99: number;
  readonly refused: number;
  readonly stall: number;
  readonly spare: number;
  readonly capacity?: number;
  readonly concurrency?: number;
  readonly batch: number;
  readonly jobs: number;
  readonly seed: number;
}

/** Reads a decimal number within bounds. */
const decimal =
  (min: number, max: number) =>
  (text: string): number => {
    const value = Number(text);
    if (/^\d{1,9}(\.\d{1,9})?$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a number from ${min} to ${max}.`);
  };

const mapping = quotas.mappingConcurrency.limit;

export const addPlanCommand = (program: Command, run: Run): void => {
  const command = program
    .command('plan')
    .description('settings, waits, quotas and dollars for a load, by simulation; asks no API')
    .requiredOption('--arrival <n>', 'jobs a second, on average', decimal(0.001, 100_000))
    .requiredOption('--service <seconds>', 'mean time of a handler', decimal(0.001, 900))
    .option('--distribution <name>', `of that time: ${distributions.join(', ')}`, oneOf(distributions), 'exponential')
    .option('--spread <n>', 'its standard deviation over its mean, for lognormal', decimal(0.01, 10), 1)
    .option('--fail <share>', 'of the attempts that fail and are retried', decimal(0, 0.99), 0)
    .option('--writes <n>', 'items that a handler writes', whole(0, bounds.handlerWritesMax), 1)
    .option('--bulk <n>', 'jobs that come in one call', whole(1, bounds.batchJobsMax), 1)
    .option('--tenants <n>', 'callers that share the load evenly', whole(1, 1_000_000), 1)
    .option('--overhead <seconds>', 'of an attempt beside its handler (assumed)', decimal(0, 10), 0.03)
    .option('--api <seconds>', 'time of a call in the API function (assumed)', decimal(0.001, 10), 0.05)
    .option('--wait-p99 <seconds>', 'goal: p99 of the time in the queue', decimal(0.01, 600), 1)
    .option('--refused <share>', 'goal: refused at most', decimal(0.0001, 0.5), 0.001)
    .option('--stall <seconds>', 'goal: consumer at rest before anybody is refused', decimal(0, 300), 5)
    .option('--spare <share>', 'goal: what full batches can do beyond the load', decimal(0, 10), 0.5)
    .option('--capacity <n>', 'given, not looked for', whole(1, bounds.capacityMax))
    .option('--concurrency <n>', 'given, not looked for', whole(2, mapping))
    .option('--batch <n>', 'messages in a delivery', whole(1, 10), productionLimits.batchSize)
    .option('--jobs <n>', 'jobs to simulate', whole(1_000, 400_000), 100_000)
    .option('--seed <n>', 'the same seed gives the same answer', whole(0, 999_999_999), 1);
  examples(
    command,
    ['200 jobs a second of 0.3 s, of which 2 % fail', 'plan --arrival 200 --service 0.3 --fail 0.02'],
    ['what do our settings refuse?', 'plan --arrival 200 --service 2 --capacity 1000 --concurrency 50'],
    ['which quota breaks first?', 'plan --arrival 100000 --service 0.05 --bulk 25 --json | jq .quotas[0]'],
  );
  run.on<PlanOptions>(command, async ({ options }) => {
    const plan = planFor(questionOf(options), { ...options, onProgress: lateProgress(run.io) });
    if (options.json) run.io.out(JSON.stringify(plan));
    else for (const line of planLines(run.io, plan)) run.io.out(line);
    return exit.done;
  });
};

const questionOf = (options: PlanOptions): Question => {
  if (options.service >= productionLimits.jobTimeoutSeconds) {
    throw new UsageError(
      `--service ${options.service} is not below jobTimeoutSeconds (${productionLimits.jobTimeoutSeconds}): most ` +
        `attempts would be cut off. Raise it in functions/core/limits.ts, or split the job.`,
    );
  }
  return {
    workload: {
      arrivalPerSecond: options.arrival,
      bulk: options.bulk,
      serviceSeconds: options.service,
      distribution: options.distribution,
      spread: options.spread,
      failShare: options.fail,
      overheadSeconds: options.overhead,
      apiSeconds: options.api,
    },
    limits: { ...productionLimits, batchSize: options.batch },
    goals: {
      waitP99Seconds: options.waitP99,
      refusedShare: options.refused,
      stallSeconds: options.stall,
      spare: options.spare,
      capacity: options.capacity,
      concurrency: options.concurrency,
    },
    handlerWrites: options.writes,
    tenants: options.tenants,
  };
};

const silentMs = 1_000;
const everyMs = 2_000;

/** Says how far it has come, once it takes longer than one waits without wondering. */
const lateProgress = (io: Io): ((jobs: number) => void) => {
  const progress = showProgress(io);
  let next = io.now() + silentMs;
  return (jobs) => {
    if (io.now() < next) return;
    next = io.now() + everyMs;
    progress(jobs, undefined, 'jobs simulated');
  };
};
