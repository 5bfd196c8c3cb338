import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { App, Stack, type StackProps } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { JobSystemStack } from '#infra/job-system-stack.ts';
import type { StageProps } from '#infra/stages.ts';
import { localDirectory } from '../../../localstack/places.ts';

/** One resource of a template, as far as tests look into it. */
export interface Resource {
  readonly Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CloudFormation's shapes; a test names what it expects in them.
  readonly Properties: any;
  readonly DeletionPolicy?: string;
}

const nameUnderTest = 'sluice-under-test';

/** CDK's feature flags, which the CDK command would read for a deployment. */
const { context: flags } = JSON.parse(readFileSync(new URL('../../../cdk.json', import.meta.url), 'utf8'));

/** An app whose directory is gone afterwards; the CDK would leave one in the system's temporary files. */
const inApp = <T>(context: Readonly<Record<string, unknown>>, use: (app: App, outdir: string) => T): T => {
  mkdirSync(localDirectory, { recursive: true });
  const outdir = mkdtempSync(`${localDirectory}/infra-`);
  try {
    return use(new App({ outdir, context: { ...flags, ...context } }), outdir);
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
};

/** No fact in a template depends on what is in a bundle. */
const withoutBundling = { 'aws:cdk:bundling-stacks': [] };

const stackOf = (app: App, stage: StageProps, stackName = nameUnderTest) =>
  new JobSystemStack(app, stackName, { stackName, stage });

/** What `read` finds in a stage's stack. */
export const inStackOf = <T>(stage: StageProps, read: (stack: JobSystemStack) => T, stackName?: string): T =>
  inApp(withoutBundling, (app) => read(stackOf(app, stage, stackName)));

/** What `read` finds in an empty stack, or in what it puts there. */
export const inEmptyStack = <T>(read: (stack: Stack) => T, props: StackProps = {}): T =>
  inApp(withoutBundling, (app) => read(new Stack(app, nameUnderTest, { stackName: nameUnderTest, ...props })));

/** The template of a stage. */
export const templateOf = (stage: StageProps, stackName?: string): Template =>
  inStackOf(stage, (stack) => Template.fromStack(stack), stackName);

/** The text of the four bundles of a stage. */
export const bundlesOf = (stage: StageProps): string[] =>
  inApp({}, (app, outdir) => {
    stackOf(app, stage);
    return readdirSync(outdir)
      .filter((name) => name.startsWith('asset.'))
      .map((name) => readFileSync(`${outdir}/${name}/index.mjs`, 'utf8'));
  });

/** All resources of one type, by logical id. */
export const resourcesOf = (template: Template, type: string): Record<string, Resource> =>
  template.findResources(type) as Record<string, Resource>;

/** The one resource of its type whose logical id starts so. */
export const resourceOf = (template: Template, type: string, idStart: string): Resource => {
  const found = Object.entries(resourcesOf(template, type)).filter(([id]) => id.startsWith(idStart));
  const [only] = found;
  if (only === undefined || found.length > 1) {
    throw new Error(`${found.length} resources of type ${type} have ids that start with ${idStart}, not one.`);
  }
  return only[1];
};
