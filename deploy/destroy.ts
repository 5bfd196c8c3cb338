import { synthesize } from '../localstack/synth.ts';
import { calledOff, confirm, demandConsent } from '../operator/cli/confirm.ts';
import { type ExitCode, exit, Failure } from '../operator/cli/exit.ts';
import type { Io } from '../operator/cli/io.ts';
import { contextOf } from './assembly.ts';
import { runCdk } from './cdk.ts';
import { command } from './command.ts';
import type { Options } from './options.ts';
import { findPlace } from './place.ts';
import { retainedOf } from './retained.ts';
import { DeployedStack } from './stack.ts';

const about = `Destroys a stack: says what goes and what is retained, and asks. In production the tables and log groups are retained, and
are deleted by hand if at all; the command says how.`;

const destroy = async (options: Options, io: Io): Promise<ExitCode> => {
  const { stackName, yes } = options;
  demandConsent(io, yes, `This destroys the stack ${stackName}.`);
  const place = await findPlace(options, process.env['AWS_ENDPOINT_URL'] || undefined);
  const stack = new DeployedStack(place, stackName);
  const template = await stack.template();
  if (template === undefined) {
    throw new Failure(
      `There is no stack ${stackName} in ${place.region} of account ${place.account}.`,
      'Give its --name, --region and --profile.',
    );
  }
  const physicalIds = await stack.physicalIds();
  const retained = retainedOf(template, physicalIds);
  io.note(`${stackName} in ${place.region} of account ${place.account}, as ${place.caller}`);
  io.note(
    `${physicalIds.size - retained.length} resources go: API, functions, alarms, and both queues with every message in them.`,
  );
  io.note(retained.length === 0 ? 'Nothing is retained: tables and logs go too.' : `${retained.length} are retained:`);
  for (const { type, name, advice } of retained) io.note(`  ${type}  ${name}\n    ${advice}`);
  if (!(await confirm(io, yes, `Destroy ${stackName}?`))) return calledOff;

  // Only the stack's name and roles are needed of it, so nothing is bundled.
  const assembly = await synthesize({ ...contextOf(options), 'aws:cdk:bundling-stacks': [] });
  await runCdk(['destroy', stackName, '--app', assembly, '--force'], place, options);
  io.note(`${stackName} is destroyed${retained.length === 0 ? '.' : '; what is retained stands above.'}`);
  return exit.done;
};

await command({ script: 'destroy', about, takes: ['stage', 'name', 'profile', 'region', 'yes', 'help'] }, destroy);
