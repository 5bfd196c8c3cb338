import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { shardCount } from '#core/capacity.ts';
import { handler } from '#functions/reconcile.ts';
import { metricLines } from '#test/support/system/cloudwatch.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { stubLambda } from '#test/support/system/in-process.ts';
import { test } from '#test/support/system/own.ts';
import { outputs, purgeQueue, reconcile, reset, stageCapacity } from '#test/support/system/stack.ts';
import { idleRun } from '../../bench/idle-costs.ts';
import { CountingProxy } from '../../bench/proxy.ts';

const proxy = new CountingProxy(outputs.endpointUrl);

beforeAll(async () => {
  await reset();
  // Each run looks at the dead letters, and other tests leave some.
  await purgeQueue(outputs.deadLetterQueueUrl);
  stubLambda(await proxy.open('lambda'));
  vi.stubEnv('EVENT_SOURCE_MAPPING_ID', outputs.eventSourceMappingId);
}, 90_000);
afterAll(() => proxy.close());

describe('a run of the reconciler with nothing to do', () => {
  test('reads, writes and asks SQS no more than the bill of an idle stack says', async () => {
    const context = { awsRequestId: 'idle', functionName: 'idle', getRemainingTimeInMillis: () => 20_000 };
    const run = async () => {
      proxy.take();
      await handler({}, context as never);
      return proxy.take();
    };
    await run();
    const calls = await run();
    const units = calls.flatMap(({ writeUnits }) => Object.values(writeUnits));
    const counted = {
      readUnits: calls.reduce((sum, call) => sum + call.readUnits, 0),
      writeUnits: units.reduce((sum, each) => sum + each, 0),
      sqsRequests: calls.filter(({ kind }) => kind.startsWith('sqs:')).length,
    };
    const { writeUnits, sqsRequests } = idleRun;
    expect(counted).toEqual({ readUnits: idleRun.readUnits(shardCount(stageCapacity)), writeUnits, sqsRequests });
  });

  test('publishes as many metrics', async () => {
    const since = Date.now();
    await reconcile();
    const lines = await eventually(async () => {
      const found = await metricLines(outputs.reconcileFunctionName, since);
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    const names = lines.flatMap((line) => JSON.stringify(line['_aws']).match(/"Name":"[^"]+"/g) ?? []);
    expect(new Set(names).size).toBe(idleRun.metrics);
  });
});
