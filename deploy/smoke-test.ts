import { statusAnswer } from '../operator/cli/answers.ts';
import { exit, Failure } from '../operator/cli/exit.ts';
import type { Io } from '../operator/cli/io.ts';
import { run } from '../operator/cli/program.ts';
import type { Options } from './options.ts';
import type { Place } from './place.ts';

/** Credits 1 to an account of the sample ledger that nothing else uses. */
const job = { type: 'ledger.credit', payload: { account: 'smoke-test', amount: 1 } };

/**
 * What `sluice doctor` says, and one job through. No job is sent while the intake is closed or the consumer paused, as it
 * could not come through. Throws `Failure`.
 */
export const smokeTest = async (place: Place, { stackName, profile }: Options, io: Io): Promise<void> => {
  const sluice = (on: Io, ...args: string[]) =>
    run(
      [
        ...args,
        ...['--stack', stackName, '--region', place.region],
        ...(profile === undefined ? [] : ['--profile', profile]),
        ...(place.sdk.endpoint === undefined ? [] : ['--endpoint-url', place.sdk.endpoint]),
      ],
      on,
    );
  const asNotes: Io = { ...io, out: io.note };

  if ((await sluice(asNotes, 'doctor')) !== exit.done) throw new Failure('sluice doctor found something wrong.');

  const lines: string[] = [];
  await sluice({ ...io, out: (line) => lines.push(line) }, 'status', '--json');
  const { intake, consumer } = statusAnswer.parse(JSON.parse(lines.join('\n')));
  if (intake !== 'open' || consumer !== 'running') {
    io.note(`No job was sent: the intake is ${intake}, the consumer ${consumer}.`);
    return;
  }

  const key = `smoke-test-${io.now()}`;
  const code = await sluice(asNotes, 'job', 'submit', job.type, JSON.stringify(job.payload), '--key', key, '--wait');
  if (code !== exit.done) throw new Failure(`The job ${job.type} with the key ${key} did not come through.`);
};
