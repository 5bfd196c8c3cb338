import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { localDirectory, projectRoot } from '../../localstack/places.ts';
import { runNode } from '../../localstack/run.ts';

const home = `${localDirectory}/outside-${process.pid}`;

/** The example as a project of its own, as npm leaves it that finds `sluice` in a workspace: a link, and its own lock. */
beforeAll(() => {
  mkdirSync(`${home}/node_modules`, { recursive: true });
  cpSync(`${projectRoot}/examples/stock`, home, { recursive: true });
  writeFileSync(`${home}/package.json`, JSON.stringify({ name: 'stock', private: true, type: 'module' }));
  writeFileSync(`${home}/package-lock.json`, '{}');
  symlinkSync(projectRoot, `${home}/node_modules/sluice`);
  for (const name of ['.bin', 'aws-cdk-lib', 'constructs', 'zod']) {
    symlinkSync(`${projectRoot}/node_modules/${name}`, `${home}/node_modules/${name}`);
  }
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('whatever package.json exports is there', () => {
  const { exports } = JSON.parse(readFileSync(`${projectRoot}/package.json`, 'utf8'));
  const files = Object.values<string>(exports);
  expect(files).not.toHaveLength(0);
  expect(files.filter((file) => !existsSync(`${projectRoot}/${file}`))).toEqual([]);
});

it('an app outside of this project is synthesised, and its bundles know its job type and no other', async () => {
  const context = JSON.stringify({ stage: 'local' });
  await runNode([`${home}/app.ts`], { CDK_OUTDIR: `${home}/cdk.out`, CDK_CONTEXT_JSON: context }, home);
  const bundles = readdirSync(`${home}/cdk.out`)
    .filter((name) => name.startsWith('asset.'))
    .map((name) => readFileSync(`${home}/cdk.out/${name}/index.mjs`, 'utf8'));
  expect(bundles).toHaveLength(4);
  expect(bundles.filter((bundle) => bundle.includes('stock.reserve'))).toHaveLength(2);
  expect(bundles.filter((bundle) => /ledger\.credit|webhook\.deliver/.test(bundle))).toEqual([]);
});
