import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { localStage, productionStage } from '#infra/stages.ts';
import { bundlesOf } from '#test/support/infra/synthesize.ts';

const production = bundlesOf(productionStage);
const local = bundlesOf(localStage);

describe('bundles', () => {
  it('are four ES modules, one for each Lambda', () => {
    expect(production).toHaveLength(4);
    for (const bundle of production) expect(bundle).toMatch(/export\{.*\bas handler\b.*\}/s);
  });

  it('know the scripted test job in the local stage only', () => {
    expect(local.filter((bundle) => bundle.includes('test.scripted'))).not.toHaveLength(0);
    expect(production.filter((bundle) => bundle.includes('test.scripted'))).toHaveLength(0);
  });

  it('carry the clients that they call, and no other', () => {
    const carrying = (client: string) => production.filter((bundle) => bundle.includes(`"@aws-sdk/${client}"`)).length;
    expect({ lambda: carrying('client-lambda'), dynamodb: carrying('client-dynamodb') }).toEqual({
      lambda: 2,
      dynamodb: 4,
    });
    // The operator's and the reconciler's switch the mapping. The signing of webhooks loads its client when it signs.
    expect(production.filter((bundle) => bundle.includes('GetParameterResult'))).toHaveLength(0);
  });

  it('have no way to write a trace: no X-Ray client, and no datagram for its daemon', () => {
    const writing = /\bdgram\b|AWS_XRAY|PutTraceSegments|PutTelemetryRecords|opentelemetry/i;
    for (const bundle of production) expect(writing.exec(bundle)).toBeNull();
    // Should tracing come in by a dependency, it would be seen here: what it is found by is what the SDKs for it carry.
    expect('import d from"node:dgram";process.env.AWS_XRAY_DAEMON_ADDRESS').toMatch(writing);
  });

  it('stay as small as they are', () => {
    const sizes = production.map((bundle) => Buffer.byteLength(bundle)).sort((a, b) => a - b);
    // API and consumer, reconciler, operator. Whoever needs more says so here.
    const allowed = [435_000, 440_000, 475_000, 525_000];
    expect(sizes.filter((size, i) => size > (allowed[i] ?? 0))).toEqual([]);
  });

  it('carry one copy of each SDK client', () => {
    // A client brings its own package's name along once with each copy.
    for (const bundle of production) expect(bundle.match(/"@aws-sdk\/client-dynamodb"/g)).toHaveLength(1);
  });
});

describe('case 15: emulator fixes stay out of production code', () => {
  const functions = fileURLToPath(new URL('../../functions', import.meta.url));
  const files = readdirSync(functions, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`);

  it('nothing under functions/ knows of an emulator', () => {
    expect(files).not.toHaveLength(0);
    const knowing = files.filter((file) => /ministack|localstack|emulator|4566/i.test(readFileSync(file, 'utf8')));
    expect(knowing).toEqual([]);
  });
});
