import { beforeAll, describe, expect, onTestFinished } from 'vitest';
import { sluice, sluiceByStack } from '#test/operator/support/program.ts';
import { test } from '#test/support/system/own.ts';
import {
  api,
  outputs,
  pauseConsumer,
  reconcile,
  reset,
  resumeConsumer,
  stageCapacity,
} from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

const credit = (account: string) => JSON.stringify({ account, amount: 3 });
describe('operating', () => {
  test('status, capacity and watch', async () => {
    onTestFinished(async () => void (await api.setCapacity(stageCapacity)));
    expect(await sluice('capacity', 'set', '40')).toMatchObject({ code: 2, notes: expect.stringContaining('--yes') });
    expect((await sluice('capacity', 'set', '40', '--yes')).code).toBe(0);
    expect((await sluice('capacity', 'show')).out).toMatch(/^40 \(\d+ taken\)\n$/);
    expect((await sluice('status')).out).toMatch(/Slots +\[[-#]{24}\] \d+ of 40 taken/);
    expect((await sluice('status', '--json')).json()).toMatchObject({ intake: 'open', capacity: 40 });
    expect((await sluice('capacity', 'set', String(stageCapacity))).code).toBe(0);
    const { code, out } = await sluice('watch', '--interval', '1', '--count', '2');
    expect(code).toBe(0);
    expect(out).toMatch(/^(\S+ intake=open consumer=running slots=\d+\/100 .*\n){2}$/);
  });

  test('consumer pause and resume', async () => {
    onTestFinished(resumeConsumer);
    expect(await sluice('consumer', 'pause')).toMatchObject({ code: 0, out: 'paused\n' });
    expect((await api.status()).body.consumer).toBe('paused');
    expect(await sluice('consumer', 'resume')).toMatchObject({ code: 0, out: 'running\n' });
    expect((await api.status()).body.consumer).toBe('running');
  });

  test('intake close, status and open', async ({ own }) => {
    onTestFinished(async () => void (await api.call('POST', '/operator/intake', { state: 'open' })));
    expect(await sluice('intake', 'close', '--yes')).toMatchObject({ code: 0, out: 'closed\n' });
    expect((await sluice('intake', 'status')).out).toBe('closed\n');
    const refused = await sluice('job', 'submit', 'ledger.credit', credit(own.account()), '--key', own.key());
    expect(refused).toMatchObject({ code: 1, out: '', notes: expect.stringContaining('intake-closed') });
    expect(await sluice('intake', 'open')).toMatchObject({ code: 0, out: 'open\n' });
  });

  test('intake drain waits until nothing is in flight', async ({ own }) => {
    onTestFinished(async () => void (await api.call('POST', '/operator/intake', { state: 'open' })));
    await api.submit(own.key(), 'ledger.credit', { account: own.account(), amount: 1 });
    const asked = await sluice('intake', 'drain', '--yes', '--no-wait');
    expect(asked).toMatchObject({ code: 0, out: expect.stringMatching(/^drain(ing|ed) /) });
    let ended = false;
    const draining = sluice('intake', 'drain', '--cancel', '--yes').finally(() => {
      ended = true;
    });
    // Two looks of the reconciler say drained; by its schedule they would take two minutes.
    while (!ended) await reconcile();
    expect(await draining).toMatchObject({ code: 0, out: 'drained (0 left)\n' });
    expect((await sluice('intake', 'open')).code).toBe(0);
  });

  test('doctor finds the stack well, and a paused consumer', async () => {
    const well = await sluiceByStack('doctor', '--json');
    expect(well.code).toBe(0);
    const { checks } = well.json();
    expect(checks.filter(({ result }: { result: string }) => result === 'fail')).toEqual([]);
    expect(checks[0].detail).toContain(outputs.apiUrl);
    await pauseConsumer();
    expect((await sluice('doctor')).out).toMatch(/warn {4}consumer: paused/);
  });

  test('completion prints a script', async () => {
    for (const shell of ['bash', 'zsh']) expect((await sluice('completion', shell)).out).toContain('complete ');
  });
});
