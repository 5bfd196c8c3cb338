import { beforeAll, expect, inject, test } from 'vitest';
import { capabilities } from '#test/support/engines/capabilities.ts';
import { probeEngine } from '#test/support/engines/probe.ts';
import { outputs, reset } from '#test/support/system/stack.ts';

beforeAll(reset, 90_000);

test('the embedded emulator has all that tests are bound to; of another, the probe finds twice the same', async () => {
  const found = await probeEngine(outputs);
  expect(found).toEqual(outputs.emulator === 'ministack' ? {} : inject('lacking'));
  expect(Object.keys(capabilities)).toEqual(expect.arrayContaining(Object.keys(found)));
});
