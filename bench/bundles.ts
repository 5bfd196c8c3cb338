import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { projectRoot } from '../localstack/places.ts';
import { peerStackName, sluiceStackName } from './stack-names.ts';
import { median, type Spread, spreadOf } from './statistics.ts';

export interface Bundle {
  /** `sluice api` */
  readonly name: string;
  readonly bytes: number;
  readonly importMs: Spread;
}

interface Template {
  readonly Resources: Readonly<
    Record<string, { Type: string; Properties: { FunctionName?: string; Code?: { S3Key?: string }; Handler?: string } }>
  >;
}

/** The files of the functions in an assembly, by the names that the functions have. */
const bundleFiles = (assembly: string): ReadonlyMap<string, string> => {
  const files = new Map<string, string>();
  for (const stack of [sluiceStackName, peerStackName]) {
    const template: Template = JSON.parse(readFileSync(`${assembly}/${stack}.template.json`, 'utf8'));
    for (const { Type, Properties } of Object.values(template.Resources)) {
      const key = Properties?.Code?.S3Key;
      if (Type !== 'AWS::Lambda::Function' || !Properties.FunctionName || !key) continue;
      const hash = key.replace(/\.zip$/, '');
      const name = Properties.FunctionName.replace(/^bench-(\w+)-/, '$1 ');
      files.set(name, `${assembly}/asset.${hash}/index.mjs`);
    }
  }
  return files;
};

/** The time of one import in a process of its own; compiled code from earlier processes is not used. */
const importOnce = (file: string): number => {
  const script = `const at=performance.now();await import(${JSON.stringify(file)});console.log(performance.now()-at);`;
  const output = execFileSync(`${projectRoot}/node_modules/.bin/node`, ['--input-type=module', '-e', script], {
    env: {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      QUEUE_URL: 'http://127.0.0.1/q',
      IDEMPOTENCY_TABLE: 'none',
      STATUS_TABLE: 'none',
      LEDGER_TABLE: 'none',
    },
  });
  return Number(output.toString());
};

/** Sizes and import times, the bundles in turn so that all meet the same machine; the median of `rounds` × 5 imports. */
export const measureBundles = (assembly: string, rounds: number): readonly Bundle[] => {
  const files = [...bundleFiles(assembly)];
  const times = new Map<string, number[]>(files.map(([name]) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    const found = new Map<string, number[]>(files.map(([name]) => [name, []]));
    for (let i = 0; i < 5; i += 1) for (const [name, file] of files) found.get(name)?.push(importOnce(file));
    for (const [name, values] of found) times.get(name)?.push(median(values));
  }
  return files.map(([name, file]) => ({
    name,
    bytes: statSync(file).size,
    importMs: spreadOf(times.get(name) ?? []),
  }));
};
