import { randomInt } from 'node:crypto';
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runMain, wholeNumber } from '../../localstack/command-line.ts';
import { deployLocal } from '../../localstack/deploy.ts';
import { startEmulator } from '../../localstack/emulator.ts';
import { localDirectory } from '../../localstack/places.ts';
import { campaign, type Failure } from './support/campaign.ts';

const help = `Usage: npm run fuzz [-- options]

Deploys the local stage to an emulator of its own and sends hostile requests through its API: by the grammar of
openapi.json, and by hand. No 5xx, no hang, no leak, nothing half written. Ends with 1 when one of these was broken, and
prints each such request, shrunk, as a line for a shell.

  --requests N   How many. Default 10000.
  --seed S       The same requests again; a new one is taken and printed if none is given.
  --help         This text.`;

const requestsMax = 10_000_000;
const seedMax = 2 ** 31;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const tell = ({ at, faults, curl }: Failure): void =>
  print(`\nrequest ${at}:\n${faults.map((fault) => `  ${fault}`).join('\n')}\n  ${curl}\n`);

const run = async (requests: number, seed: number): Promise<number> => {
  print(`seed ${seed}, ${requests} requests`);
  const name = `fuzz-${process.pid}`;
  const emulator = await startEmulator({ name });
  try {
    const outputs = await deployLocal({ endpointUrl: emulator.endpointUrl, outDir: `${localDirectory}/${name}` });
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    let shownAt = began;
    const progress = (done: number, failures: number): void => {
      if (performance.now() - shownAt < 5_000) return;
      shownAt = performance.now();
      print(`${done} of ${requests} requests, ${Math.round(done / seconds())} a second, ${failures} failed`);
    };
    const result = await campaign(outputs, { requests, seed, atOnce: 8, progress, found: tell });
    const statuses = [...result.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`);
    for (const fault of result.table) print(`afterwards: ${fault}`);
    print(`${result.requests} requests in ${Math.round(seconds())} s: ${statuses.join(' · ')}`);
    const failed = result.failures.length + result.table.length;
    print(
      failed === 0
        ? 'PASS'
        : `FAIL: ${failed} faults. The same again: npm run fuzz -- --seed ${seed} --requests ${requests}`,
    );
    return failed === 0 ? 0 : 1;
  } finally {
    await emulator.stop();
    rmSync(`${localDirectory}/${name}`, { recursive: true, force: true });
  }
};

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: { requests: { type: 'string', default: '10000' }, seed: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    print(help);
    return 0;
  }
  const requests = wholeNumber('requests', values.requests, 1, requestsMax);
  const seed = values.seed === undefined ? randomInt(seedMax) : wholeNumber('seed', values.seed, 0, seedMax);
  return run(requests, seed);
};

await runMain(main);
