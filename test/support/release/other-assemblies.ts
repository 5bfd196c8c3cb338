import { createHash } from 'node:crypto';
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

interface Template {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: TableProperties }>;
}
interface TableProperties {
  AttributeDefinitions: readonly { readonly AttributeName: string }[];
  GlobalSecondaryIndexes?: readonly { readonly IndexName: string }[];
}

/** What stands for all that a release may add: an index of the job table, the alarms, and the dashboard over them. */
const added = {
  index: 'recent',
  attribute: 'recentBucket',
  types: ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard'],
};

/**
 * Writes an assembly as a release before the present one might have had it. There has been none: it is the present one
 * without what `added` names, and with bundles that differ by a comment, so that the functions' code is exchanged.
 */
export const writeEarlierAssembly = (present: string, stackName: string, directory: string): void => {
  cpSync(present, directory, { recursive: true });
  withoutAdded(`${directory}/${stackName}.template.json`);
  for (const name of readdirSync(directory).filter((entry) => entry.startsWith('asset.')))
    appendFileSync(`${directory}/${name}/index.mjs`, '\n// an earlier release\n');
  renameAssets(directory, stackName);
};

const withoutAdded = (file: string): void => {
  const template: Template = JSON.parse(readFileSync(file, 'utf8'));
  for (const [id, { Type, Properties }] of Object.entries(template.Resources)) {
    if (added.types.includes(Type)) delete template.Resources[id];
    const indexes = Properties?.GlobalSecondaryIndexes;
    if (indexes === undefined) continue;
    Properties.GlobalSecondaryIndexes = indexes.filter(({ IndexName }) => IndexName !== added.index);
    Properties.AttributeDefinitions = Properties.AttributeDefinitions.filter(
      ({ AttributeName }) => AttributeName !== added.attribute,
    );
  }
  writeFileSync(file, JSON.stringify(template));
};

/** Writes the present assembly with an API that ends before its first answer. */
export const writeBrokenAssembly = (present: string, stackName: string, directory: string): void => {
  cpSync(present, directory, { recursive: true });
  const { files }: { files: Record<string, { displayName: string }> } = JSON.parse(
    readFileSync(`${directory}/${stackName}.assets.json`, 'utf8'),
  );
  const [api] = Object.entries(files).find(([, { displayName }]) => /(^|\/)Api\/Code$/.test(displayName)) ?? [];
  if (api === undefined) throw new Error(`${present} has no bundle of the API.`);
  writeFileSync(`${directory}/asset.${api}/index.mjs`, "throw new Error('broken on purpose');\n");
  renameAssets(directory, stackName);
};

/** An asset is published under its hash, and once only: what was changed needs another. It follows from the directory. */
const renameAssets = (directory: string, stackName: string): void => {
  const manifest = `${directory}/${stackName}.assets.json`;
  const hashes = Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).files);
  for (const hash of hashes) {
    const other = createHash('sha256').update(`${directory} ${hash}`).digest('hex');
    if (existsSync(`${directory}/asset.${hash}`))
      renameSync(`${directory}/asset.${hash}`, `${directory}/asset.${other}`);
    for (const file of [manifest, `${directory}/manifest.json`, `${directory}/${stackName}.template.json`])
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll(hash, other));
  }
};
