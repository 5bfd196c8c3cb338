import { GetFunctionConfigurationCommand, UpdateFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { anotherCaller } from '#test/support/system/caller.ts';
import { eventually } from '#test/support/system/eventually.ts';
import { test } from '#test/support/system/own.ts';
import { expectProblem } from '#test/support/system/problem.ts';
import { lambda, outputs, pauseConsumer, reset, resumeConsumer, settled } from '#test/support/system/stack.ts';

/** The stack's own deployment has no quota: the API's limits are changed for this file, as another stage would have them. */
const withLimits = async (change: object): Promise<void> => {
  const FunctionName = outputs.apiFunctionName;
  const { Environment } = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const Variables = { ...Environment?.Variables };
  Variables['SLUICE_LIMITS'] = JSON.stringify({ ...JSON.parse(Variables['SLUICE_LIMITS'] ?? '{}'), ...change });
  await lambda.send(new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables } }));
};

beforeAll(async () => {
  await reset();
  await withLimits({ tenantShare: 0.05 });
}, 90_000);
afterAll(() => withLimits({ tenantShare: 1 }), 30_000);

describe('G1 a tenant’s share of the capacity', () => {
  test('of 5 in 100 lets exactly five jobs of one caller in, and others beside them', async ({ own }) => {
    await pauseConsumer();
    const [greedy, other] = [await anotherCaller(), await anotherCaller()];
    const account = own.account();
    const submit = (caller: typeof greedy, i: number | string) =>
      caller.submit(own.key(i), 'ledger.credit', { account, amount: 1 });
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => submit(greedy, i)));
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(7);
    for (const answer of refused) {
      expectProblem(answer, 429, 'tenant-quota');
      expect(answer.headers.get('retry-after')).toMatch(/^[1-5]$/);
    }
    expect((await submit(other, 'other')).status).toBe(202);
    const known = answers.findIndex(({ status }) => status === 202);
    expect((await submit(greedy, known)).status).toBe(200);

    await resumeConsumer();
    await settled();
    await eventually(async () => expect((await submit(greedy, 'later')).status).toBe(202));
    await settled();
  });
});
