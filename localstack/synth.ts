import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { localDirectory, projectRoot } from './places.ts';
import { runNode } from './run.ts';

/** Everything that a cloud assembly is made from. */
const sources = [
  'functions',
  'infra',
  'test/support',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const assemblies = `${localDirectory}/assemblies`;
const keptMilliseconds = 24 * 3_600_000;

const filesUnder = (path: string): string[] => {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort();
};

const hashSources = (app: string, context: string): string => {
  const hash = createHash('sha256').update(`${app}\0${context}`);
  // An app beside `infra/` is made from its own directory too.
  const all = [...new Set([...sources, app.replace(/\/.*/, '')])];
  for (const file of all.flatMap((source) => filesUnder(`${projectRoot}/${source}`))) {
    hash.update(`\0${file}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
};

const removeOld = (): void => {
  for (const name of readdirSync(assemblies)) {
    const path = `${assemblies}/${name}`;
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (age > keptMilliseconds) rmSync(path, { recursive: true, force: true });
  }
};

type Context = Readonly<Record<string, string | readonly string[]>>;

/** The cloud assembly of the local stage, see `synthesize`. */
export const synthesizeLocal = (context: Context, app?: string): Promise<string> =>
  synthesize({ stage: 'local', ...context }, app);

/** Runs a CDK app into a directory: what the CDK command would do, without its start-up time. */
export const runApp = (app: string, wholeContext: string, directory: string): Promise<void> =>
  runNode([app], { CDK_OUTDIR: directory, CDK_CONTEXT_JSON: wholeContext });

/** The context of a run: CDK's feature flags from cdk.json, and what is given on top. */
export const wholeContextOf = (context: Context): string => {
  const { context: flags }: { context: Record<string, unknown> } = JSON.parse(
    readFileSync(`${projectRoot}/cdk.json`, 'utf8'),
  );
  return JSON.stringify({ ...flags, ...context });
};

/**
 * Makes a cloud assembly and returns its directory. The directory is named by a hash of all sources, so that an unchanged
 * project is not bundled again, and two runs at once do not disturb each other.
 */
export const synthesize = async (context: Context, app = 'infra/app.ts'): Promise<string> => {
  const wholeContext = wholeContextOf(context);
  mkdirSync(assemblies, { recursive: true });
  removeOld();
  const assembly = `${assemblies}/${hashSources(app, wholeContext)}`;
  if (existsSync(assembly)) return assembly;

  // Renamed into place when complete.
  const unfinished = mkdtempSync(`${assemblies}/unfinished-`);
  await runApp(app, wholeContext, unfinished);
  try {
    renameSync(unfinished, assembly);
  } catch (error) {
    // Another run of the same sources was quicker.
    if (!existsSync(assembly)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
  return assembly;
};
