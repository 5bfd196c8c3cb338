import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { synthesize } from '../localstack/synth.ts';
import { Failure } from '../operator/cli/exit.ts';
import { checksumsOf } from './checksums.ts';
import type { Options } from './options.ts';

/** As much of a CloudFormation template as the commands here look at. */
export interface Template {
  readonly Resources: Readonly<
    Record<
      string,
      {
        readonly Type: string;
        readonly DeletionPolicy?: string;
        readonly Properties?: Readonly<Record<string, unknown>>;
      }
    >
  >;
  readonly Outputs?: Readonly<Record<string, unknown>>;
}

/** The context of a stage under its name, with construct paths for the diff. */
export const contextOf = ({ stage, stackName }: Pick<Options, 'stage' | 'stackName'>): Record<string, string> => ({
  stage,
  stackName,
  'aws:cdk:enable-path-metadata': 'true',
});

/** The directory of the cloud assembly that was given, or else one made from the sources here. */
export const assemblyFor = async (options: Options): Promise<string> =>
  options.app === undefined ? synthesize(contextOf(options)) : assemblyIn(resolve(options.app));

/** A package has its assembly in a directory of that name, and checksums. Throws `Failure` if they do not fit. */
const assemblyIn = (directory: string): string => {
  const sums = `${directory}/SHA256SUMS`;
  if (!existsSync(sums)) return directory;
  if (readFileSync(sums, 'utf8') !== checksumsOf(directory)) {
    throw new Failure(
      `The package ${directory} is not what was packed: its files and SHA256SUMS differ.`,
      'See which, in there: sha256sum --check --quiet SHA256SUMS. Then get it anew.',
    );
  }
  return `${directory}/assembly`;
};

/**
 * Reads the template of a stack from an assembly. Throws `Failure` that names the stacks that are in it when there is none
 * of that name.
 */
export const templateIn = (assembly: string, stackName: string): Template => {
  const file = `${assembly}/${stackName}.template.json`;
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  const found = stacksIn(assembly);
  const fix = found.length === 0 ? 'npm run package makes one.' : `Give --name ${found.join(' or --name ')}`;
  throw new Failure(`${assembly} is no cloud assembly with the stack ${stackName}.`, fix);
};

const stacksIn = (assembly: string): readonly string[] => {
  if (!existsSync(`${assembly}/manifest.json`)) return [];
  const { artifacts = {} }: { artifacts?: Record<string, { type?: string }> } = JSON.parse(
    readFileSync(`${assembly}/manifest.json`, 'utf8'),
  );
  return Object.keys(artifacts).filter((name) => artifacts[name]?.type === 'aws:cloudformation:stack');
};
