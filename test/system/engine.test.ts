import { networkInterfaces } from 'node:os';
import { beforeAll, expect, inject, test } from 'vitest';
import { capabilities } from '#test/support/engines/capabilities.ts';
import { probeEngine } from '#test/support/engines/probe.ts';
import { outputs, reset } from '#test/support/system/stack.ts';
import { host, isTaken } from '../../localstack/ports.ts';

beforeAll(reset, 90_000);

test('the embedded emulator has all that tests are bound to; of another, the probe finds twice the same', async () => {
  const found = await probeEngine(outputs);
  expect(found).toEqual(outputs.emulator === 'ministack' ? {} : inject('lacking'));
  expect(Object.keys(capabilities)).toEqual(expect.arrayContaining(Object.keys(found)));
});

test('an engine of this machine listens on the loopback address, and on no other', async ({ skip }) => {
  const { hostname, port } = new URL(outputs.endpointUrl);
  if (hostname !== host) skip('the engine runs elsewhere');
  const others = Object.values(networkInterfaces())
    .flatMap((addresses = []) => addresses)
    .filter(({ family, internal }) => family === 'IPv4' && !internal);
  if (others.length === 0) skip('this machine has no other address');
  expect(await isTaken(Number(port))).toBe(true);
  for (const { address } of others) {
    expect({ address, listening: await isTaken(Number(port), address) }).toEqual({ address, listening: false });
  }
});
