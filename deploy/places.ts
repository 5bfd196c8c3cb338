import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

interface Entry {
  readonly type: string;
  trace?: unknown;
}

/**
 * Takes out of an assembly where it was made: the CDK writes the places of constructs in the sources into its metadata, as
 * traces and as an entry of their own. Nothing that is deployed depends on them.
 */
export const removePlaces = (assembly: string): void => {
  for (const name of readdirSync(assembly).filter((file) => file.endsWith('.metadata.json'))) {
    const metadata: Record<string, Entry[]> = JSON.parse(readFileSync(`${assembly}/${name}`, 'utf8'));
    for (const [path, entries] of Object.entries(metadata)) {
      for (const entry of entries) delete entry.trace;
      metadata[path] = entries.filter(({ type }) => type !== 'aws:cdk:creationStack');
    }
    writeFileSync(`${assembly}/${name}`, `${JSON.stringify(metadata, null, 2)}\n`);
  }
};
