import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { localDirectory, projectRoot } from '../localstack/places.ts';
import { runApp, wholeContextOf } from '../localstack/synth.ts';
import { type ExitCode, exit, UsageError } from '../operator/cli/exit.ts';
import type { Io } from '../operator/cli/io.ts';
import packageJson from '../package.json' with { type: 'json' };
import { contextOf, templateIn } from './assembly.ts';
import { billOfMaterials } from './bill-of-materials.ts';
import { checksumsOf } from './checksums.ts';
import { command } from './command.ts';
import type { Options } from './options.ts';
import { removePlaces } from './places.ts';

const about = `Makes a package that deploys without the sources: a cloud assembly with its bundles, the bill of materials, openapi.json and
how to install it, with SHA-256 checksums. The same sources make the same bytes, wherever and whenever.`;

const pack = async (options: Options, io: Io): Promise<ExitCode> => {
  const { stackName } = options;
  const { version } = packageJson;
  const directory = resolve(options.out ?? `${localDirectory}/package/${stackName}-${version}`);
  if (existsSync(directory) && readdirSync(directory).length > 0) {
    throw new UsageError(`${directory} is not empty: remove it, or give --out another one.`);
  }
  const assembly = `${directory}/assembly`;
  mkdirSync(assembly, { recursive: true });
  await runApp('infra/app.ts', wholeContextOf(contextOf(options)), assembly);
  removePlaces(assembly);
  templateIn(assembly, stackName);

  for (const file of ['LICENSE', 'openapi.json']) copyFileSync(`${projectRoot}/${file}`, `${directory}/${file}`);
  writeFileSync(`${directory}/sbom.cdx.json`, billOfMaterials());
  writeFileSync(`${directory}/INSTALL.md`, install(stackName));
  writeFileSync(`${directory}/SHA256SUMS`, checksumsOf(directory));
  io.out(directory);
  io.note(`${stackName} ${version} is packed. To deploy it, see INSTALL.md in there.`);
  return exit.done;
};

const install = (stackName: string): string =>
  readFileSync(`${projectRoot}/deploy/INSTALL.md`, 'utf8')
    .replaceAll('<stack>', stackName)
    .replaceAll('<version>', packageJson.version)
    .replaceAll('<cdk>', packageJson.devDependencies['aws-cdk']);

await command({ script: 'package', about, takes: ['stage', 'name', 'out', 'help'] }, pack);
