import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { runMain, wholeNumber } from '../../../localstack/command-line.ts';
import { run } from './run.ts';
import { explain, shrink } from './shrink.ts';

const help = `Usage: npm run test:simulation -- [options]

  --seeds N     how many histories (1000), on --threads N threads (2)
  --from N      the first seed (1)
  --seed S      one history only
  --trace       with --seed: written out, call by call
  --help        this text

Ends with 1 when a promise was broken, and then prints the seed and its shrunk history.`;

interface Share {
  readonly from: number;
  readonly until: number;
  readonly step: number;
}
type Report =
  | { readonly kind: 'failed'; readonly seed: number; readonly what: string }
  | { readonly kind: 'progress'; readonly seeds: number; readonly counts: readonly (readonly [string, number])[] };

const seedMax = 2 ** 31;
const threadsMax = 64;
const reportEvery = 100;
const failuresShown = 3;

const runShare = async ({ from, until, step }: Share, tell: (report: Report) => void): Promise<void> => {
  let counts = new Map<string, number>();
  let seeds = 0;
  const flush = () => {
    tell({ kind: 'progress', seeds, counts: [...counts] });
    counts = new Map();
    seeds = 0;
  };
  for (let seed = from; seed < until; seed += step) {
    const result = await run(seed);
    seeds += 1;
    for (const [name, count] of result.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    if (result.violation !== undefined) tell({ kind: 'failed', seed, what: result.violation.message });
    if (seeds >= reportEvery) flush();
  }
  flush();
};

const print = (text: string): void => void process.stdout.write(text);

const runOne = async (seed: number, trace: boolean): Promise<number> => {
  const result = await run(seed, { trace });
  if (trace) print(`${result.trace.join('\n')}\n`);
  print(`seed ${seed}: ${result.steps} steps, ${Math.round(result.virtualMs / 1000)} virtual seconds\n`);
  if (result.violation === undefined) return 0;
  print(`${explain(await shrink(result, {}))}\n`);
  return 1;
};

const runMany = async (from: number, seeds: number, threads: number): Promise<number> => {
  const started = performance.now();
  const totals = new Map<string, number>();
  const failed: { readonly seed: number; readonly what: string }[] = [];
  let done = 0;
  let shownAt = started;
  const seconds = () => (performance.now() - started) / 1000;
  const hear = (report: Report): void => {
    if (report.kind === 'failed') {
      failed.push(report);
      print(`seed ${report.seed}: ${report.what}\n`);
      return;
    }
    done += report.seeds;
    for (const [name, count] of report.counts) totals.set(name, (totals.get(name) ?? 0) + count);
    if (performance.now() - shownAt < 5_000) return;
    shownAt = performance.now();
    print(`${done} of ${seeds} seeds, ${Math.round(done / seconds())} a second, ${failed.length} failed\n`);
  };
  await Promise.all(
    Array.from({ length: threads }, (_, i) => inWorker({ from: from + i, until: from + seeds, step: threads }, hear)),
  );
  print(`${done} seeds in ${Math.round(seconds())} s, ${failed.length} failed\n`);
  const reached = [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} ${count}`);
  print(`reached: ${reached.join(' · ')}\n`);
  for (const { seed } of failed.toSorted((a, b) => a.seed - b.seed).slice(0, failuresShown)) await runOne(seed, false);
  return failed.length === 0 ? 0 : 1;
};

const inWorker = (share: Share, hear: (report: Report) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.on('message', hear);
    worker.on('error', reject);
    worker.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`a worker ended with ${code}`))));
  });

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      threads: { type: 'string', default: '2' },
      trace: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  if (values.seed !== undefined) return runOne(wholeNumber('seed', values.seed, 0, seedMax), values.trace);
  const from = wholeNumber('from', values.from, 0, seedMax);
  const seeds = wholeNumber('seeds', values.seeds, 1, seedMax);
  return runMany(from, seeds, wholeNumber('threads', values.threads, 1, threadsMax));
};

if (isMainThread) await runMain(main);
else await runShare(workerData as Share, (report) => parentPort?.postMessage(report));
