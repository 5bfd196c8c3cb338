import { expect, test, vi } from 'vitest';
import { capabilities } from '../support/engines/capabilities.ts';
import { needs } from '../support/engines/needs.ts';

const lacking = vi.hoisted(() => ({ current: undefined as object | undefined }));
vi.mock('vitest', async (original) => ({ ...(await original<object>()), inject: () => lacking.current }));

/** What a test is told: the note of its skip, or nothing. */
const toldOf = (engine: object | undefined): string | undefined => {
  lacking.current = engine;
  let note: string | undefined;
  const skip = ((text: string) => {
    note = text;
  }) as never;
  needs({ skip }, 'dashboards');
  return note;
};

test('a test is skipped with the reason where the engine lacks what it needs, and only there', () => {
  expect(toldOf({ dashboards: true })).toBe(capabilities.dashboards);
  expect(toldOf({ 'parallel-batches': true })).toBeUndefined();
  expect(toldOf({})).toBeUndefined();
});

test('where there is no engine nothing is skipped', () => {
  expect(toldOf(undefined)).toBeUndefined();
});
