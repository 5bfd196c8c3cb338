import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cdkEnvironment } from '../../localstack/deploy.ts';
import { localDirectory, projectRoot } from '../../localstack/places.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Ended, runCommand, runProgram } from '../support/release/run.ts';
import { outputsOf } from '../support/release/system.ts';

const directory = mkdtempSync(`${localDirectory}/package-`);
const [here, there] = [`${directory}/here`, `${directory}/there`];

/** What comes of work in a clone and not with it. */
const made = ['.git', '.local', '.emulator', '.localstack', 'node_modules', 'cdk.out', 'coverage'];

/** The sources as somebody else has them, in another directory. */
const copySources = (): string => {
  const copy = `${directory}/a clone`;
  for (const name of readdirSync(projectRoot).filter((entry) => !made.includes(entry)))
    cpSync(`${projectRoot}/${name}`, `${copy}/${name}`, { recursive: true });
  symlinkSync(`${projectRoot}/node_modules`, `${copy}/node_modules`);
  return copy;
};

let built: readonly Ended[];
beforeAll(async () => {
  const copy = copySources();
  built = await Promise.all([
    runProgram(['deploy/package.ts', '--out', here]),
    runProgram(['deploy/package.ts', '--out', there], {
      cwd: copy,
      env: { TZ: 'Asia/Kathmandu', LANG: 'de_DE.UTF-8' },
    }),
  ]);
}, 180_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const sums = (of: string): string => readFileSync(`${of}/SHA256SUMS`, 'utf8');

describe('npm run package', () => {
  test('ends well', () => {
    for (const { code, notes } of built) expect({ code, notes }).toMatchObject({ code: 0 });
  });

  test('makes the same bytes from the same sources, in another directory, time zone and language', () => {
    expect(sums(there)).toBe(sums(here));
    expect(sums(here).trim().split('\n').length).toBeGreaterThan(10);
  });

  test('has the checksum of every file, as sha256sum checks them', () => {
    execFileSync('sha256sum', ['--check', '--quiet', '--strict', 'SHA256SUMS'], { cwd: here });
    const files = readdirSync(here, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(sums(here).trim().split('\n')).toHaveLength(files.length - 1);
  });

  test('tells nothing of the machine that it was made on', () => {
    const knowing = readdirSync(here, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`)
      .filter((file) => readFileSync(file, 'utf8').includes(projectRoot));
    expect(knowing).toEqual([]);
  });

  test('has the bill of materials of this version', () => {
    const { metadata } = JSON.parse(readFileSync(`${here}/sbom.cdx.json`, 'utf8'));
    expect(metadata.component).toMatchObject({ name: packageJson.name, version: packageJson.version });
  });

  test('does not write over what is there', async () => {
    const { code, notes } = await runProgram(['deploy/package.ts', '--out', here]);
    expect(notes).toContain('is not empty');
    expect(code).toBe(2);
  });

  test('a package that was changed is not deployed', async () => {
    appendFileSync(`${there}/openapi.json`, ' ');
    const { code, notes } = await runCommand('deploy', '--app', there, '--yes');
    expect(notes).toContain('is not what was packed');
    expect(code).toBe(1);
  });

  test('production deploys with the roles of the bootstrap', { timeout: 120_000 }, async () => {
    const stackName = 'sluice-production';
    const template = `${here}/assembly/${stackName}.template.json`;
    writeFileSync(template, JSON.stringify(withoutMetricMath(JSON.parse(readFileSync(template, 'utf8')))));
    const cdk = `${projectRoot}/node_modules/aws-cdk/bin/cdk`;
    const { code, notes } = await runProgram(
      [cdk, 'deploy', '--app', 'assembly', stackName, '--require-approval', 'never', '--no-notices'],
      { cwd: here, env: cdkEnvironment(inject('releaseEndpoint')) },
    );
    expect({ code, notes }).toMatchObject({ code: 0 });
    expect(await outputsOf(stackName)).toHaveProperty('ApiUrl');
  });
});

interface Alarm {
  readonly Type: string;
  readonly Properties: {
    Metrics?: unknown;
    MetricName?: string;
    Namespace?: string;
    Period?: number;
    Statistic?: string;
  };
}

/** The emulator refuses alarms that are computed from several metrics: plain ones stand in for them. */
const withoutMetricMath = (template: { readonly Resources: Readonly<Record<string, Alarm>> }): unknown => {
  for (const { Type, Properties } of Object.values(template.Resources)) {
    if (Type !== 'AWS::CloudWatch::Alarm' || Properties.Metrics === undefined) continue;
    delete Properties.Metrics;
    Object.assign(Properties, { MetricName: 'ReconcilerRuns', Namespace: 'Sluice', Period: 60, Statistic: 'Sum' });
  }
  return template;
};
