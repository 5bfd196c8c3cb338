import { inject, type TestContext } from 'vitest';
import { type Capability, capabilities } from './capabilities.ts';

/** For the first line of a test that is bound to a fact: where the engine lacks it, the test is skipped, with the reason. */
export const needs = ({ skip }: Pick<TestContext, 'skip'>, capability: Capability): void => {
  // The suites that run in memory are given no engine, and lack nothing.
  const lacking = inject('lacking') ?? {};
  if (lacking[capability]) skip(capabilities[capability]);
};
