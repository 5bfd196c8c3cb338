import { parseArgs } from 'node:util';
import { UsageError } from '../operator/cli/exit.ts';

/** What the commands of this directory are told. */
export interface Options {
  readonly stage: 'production' | 'local';
  /** The stack's CloudFormation name: several stacks fit into one account. */
  readonly stackName: string;
  readonly profile?: string;
  readonly region?: string;
  /** A package or cloud assembly that is there already. */
  readonly app?: string;
  readonly out?: string;
  readonly yes: boolean;
  readonly rollback: boolean;
}

const described = {
  stage: ['--stage NAME', 'prod (the same as production), unless told; local is for an emulator'],
  name: ['--name NAME', "the stack's name, sluice-<stage> unless told; several fit into one account"],
  profile: ['--profile NAME', 'profile of the AWS configuration'],
  region: ['--region NAME', "AWS region, unless the profile's or AWS_REGION"],
  app: ['--app DIRECTORY', 'deploy this package or cloud assembly instead of the sources here'],
  rollback: ['--rollback', 'deploy what was deployed from this machine before what is deployed now'],
  out: ['--out DIRECTORY', 'where to, .local/package/<name>-<version> unless told; must be empty or not be there'],
  yes: ['--yes', 'do not ask; off a terminal nothing is changed without it'],
  help: ['--help', 'this text'],
} as const;
type Option = keyof typeof described;

/** A stack's name leads those of its functions, which have 64 characters. */
const namePattern = /^[A-Za-z][A-Za-z0-9-]{0,49}$/;
const stages: Readonly<Record<string, Options['stage']>> = {
  prod: 'production',
  production: 'production',
  local: 'local',
};

/** One of the commands: what it is called by, what it does, and which options it takes. */
export interface Usage {
  readonly script: string;
  readonly about: string;
  readonly takes: readonly Option[];
}

const helpOf = ({ script, about, takes }: Usage): string => {
  const lines = takes.map((name) => `  ${described[name][0].padEnd(17)}  ${described[name][1]}`);
  return `Usage: npm run ${script} -- [options]\n\n${about}\n\n${lines.join('\n')}`;
};

/** Reads a command line. Returns its help, if that is what was asked for. Throws `UsageError`. */
export const readOptions = (usage: Usage, argv: readonly string[]): Options | { readonly help: string } => {
  const values = parse(usage, argv);
  const text = (name: Option): string | undefined => {
    const value = values[name];
    if (value === '') throw new UsageError(`--${name} is empty.`);
    return typeof value === 'string' ? value : undefined;
  };
  if (values['help']) return { help: helpOf(usage) };
  const given = text('stage') ?? 'production';
  const stage = stages[given];
  if (stage === undefined) throw new UsageError(`There is no stage ${given}: give --stage prod or --stage local.`);
  const stackName = text('name') ?? `sluice-${stage}`;
  if (!namePattern.test(stackName)) {
    throw new UsageError(`"${stackName}" is no stack name: up to 50 letters, digits and hyphens, a letter first.`);
  }
  const [profile, region, app, out] = [text('profile'), text('region'), text('app'), text('out')];
  const rollback = values['rollback'] === true;
  if (rollback && app !== undefined) throw new UsageError('Give --rollback or --app, not both.');
  return {
    stage,
    stackName,
    ...(profile && { profile }),
    ...(region && { region }),
    ...(app && { app }),
    ...(out && { out }),
    yes: values['yes'] === true,
    rollback,
  };
};

const flags: readonly Option[] = ['yes', 'rollback', 'help'];

const parse = (usage: Usage, argv: readonly string[]): Readonly<Record<string, string | boolean | undefined>> => {
  const options = Object.fromEntries(
    usage.takes.map((name) => [name, { type: flags.includes(name) ? ('boolean' as const) : ('string' as const) }]),
  );
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${why} See npm run ${usage.script} -- --help`);
  }
};
