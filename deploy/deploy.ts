import { calledOff, confirm, demandConsent } from '../operator/cli/confirm.ts';
import { type ExitCode, exit, Failure } from '../operator/cli/exit.ts';
import type { Io } from '../operator/cli/io.ts';
import packageJson from '../package.json' with { type: 'json' };
import { assemblyFor, type Template, templateIn } from './assembly.ts';
import { runCdk } from './cdk.ts';
import { command } from './command.ts';
import { KeptAssemblies } from './kept.ts';
import type { Options } from './options.ts';
import { demandBootstrap, findPlace } from './place.ts';
import { smokeTest } from './smoke-test.ts';
import { DeployedStack } from './stack.ts';

const about = `Deploys a stack: checks credentials, account and bootstrap, shows what will change, asks, deploys, prints the stack's
outputs as JSON, and then sees whether it works: npx sluice doctor, and one job. Exit code 0 only if all of that went well.`;

const deploy = async (options: Options, io: Io): Promise<ExitCode> => {
  const { stackName, stage, yes } = options;
  const endpointUrl = process.env['AWS_ENDPOINT_URL'] || undefined;
  if (stage === 'local' && endpointUrl === undefined) {
    throw new Failure('The stage local is for an emulator.', 'Name it: AWS_ENDPOINT_URL=http://127.0.0.1:4566');
  }
  demandConsent(io, yes, `This changes the stack ${stackName}.`);
  const place = await findPlace(options, endpointUrl);
  await demandBootstrap(place, options, io.note);
  const stack = new DeployedStack(place, stackName);
  const kept = new KeptAssemblies(place, stackName);
  const deployed = await stack.template();
  const assembly = options.rollback ? keptBefore(kept, deployed) : await assemblyFor(options);
  // An assembly without this stack is refused before anything is shown.
  templateIn(assembly, stackName);
  io.note(`Account   ${place.account}, as ${place.caller}`);
  io.note(`Region    ${place.region}${place.sdk.endpoint === undefined ? '' : `, at ${place.sdk.endpoint}`}`);
  io.note(`Stack     ${stackName}, stage ${stage}`);
  io.note(`From      ${options.app ?? (options.rollback ? assembly : `the sources here, ${packageJson.version}`)}`);

  const app = [stackName, '--app', assembly];
  await runCdk(['diff', ...app], place, options);
  if (!(await confirm(io, yes, `Deploy this to ${stackName} in account ${place.account}?`))) return calledOff;

  const back = `npm run deploy -- ${sameStack(options)} --rollback (or --app with the package of the release before)`;
  // The diff was shown and consented to, rights included.
  await orSay(
    `CloudFormation goes back by itself to what was there. If it is stuck in *_FAILED: npx cdk rollback ${app.join(' ')}. To deploy what was there before: ${back}`,
    () => runCdk(['deploy', ...app, '--require-approval', 'never'], place, options),
  );
  io.out(JSON.stringify(await stack.outputs(), null, 2));
  await orSay(
    `It is deployed. To go back to what was there before: ${back}. A first deployment: npm run destroy -- ${sameStack(options)}`,
    () => smokeTest(place, options, io),
  );
  kept.keep(assembly, io.now());
  io.note(`${stackName} is deployed, and a smoke test went through it.`);
  return exit.done;
};

/** Does a step; what it throws is thrown on, with what to type then. */
const orSay = async (fix: string, step: () => Promise<void>): Promise<void> => {
  try {
    await step();
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error), fix, { cause: error });
  }
};

/** The options that name the same stack in another command. */
const sameStack = ({ stackName, stage, profile, region }: Options): string =>
  [
    `--stage ${stage} --name ${stackName}`,
    ...(profile === undefined ? [] : [`--profile ${profile}`]),
    ...(region === undefined ? [] : [`--region ${region}`]),
  ].join(' ');

const keptBefore = (kept: KeptAssemblies, deployed: Template | undefined): string => {
  if (deployed === undefined) throw new Failure('There is no such stack, so nothing to go back from.');
  const before = kept.before(deployed);
  if (before !== undefined) return before;
  throw new Failure(
    'Nothing that was deployed before is kept on this machine.',
    'Deploy the package of the release before (--app), or check its sources out and deploy them.',
  );
};

await command(
  { script: 'deploy', about, takes: ['stage', 'name', 'profile', 'region', 'app', 'rollback', 'yes', 'help'] },
  deploy,
);
