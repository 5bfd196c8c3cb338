import { defineConfig } from 'vitest/config';
import { chooseEngine } from './localstack/engines/choice.ts';

const unit = (name: string, include: string) => ({ test: { name, include: [include] } });

/** What the projects against the emulator share: one emulator with one deployed stack, started before the first test. */
const onEmulator = {
  globalSetup: 'test/support/system-setup.ts',
  provide: { authChecked: false },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // The stack has one capacity and one consumer, which some tests change: its test files run one after another.
  fileParallelism: false,
  // Groups run one after another: the unit tests do not take the emulator's time.
  sequence: { groupOrder: 2 },
};

/** `SLUICE_AUTH=false npm run test:system` runs them where nothing is checked; other engines than the embedded one cannot. */
const isEmbedded = chooseEngine(undefined, process.env).name === 'ministack';
const onCheckingEmulator = { provide: { authChecked: isEmbedded && process.env['SLUICE_AUTH'] !== 'false' } };

/**
 * What `npm run test:unit` names needs no emulator. contract runs the same suite as contract-memory against one, and
 * system goes through the deployed API.
 */
export default defineConfig({
  test: {
    reporters: ['default', './test/support/summary-reporter.ts'],
    teardownTimeout: 30_000,
    projects: [
      unit('core', 'test/core/**/*.test.ts'),
      unit('flow', 'test/flow/**/*.test.ts'),
      unit('functions', 'test/functions/**/*.test.ts'),
      unit('jobs', 'test/jobs/**/*.test.ts'),
      unit('openapi', 'test/openapi/**/*.test.ts'),
      unit('operator', 'test/operator/**/*.test.ts'),
      unit('plan', 'test/plan/**/*.test.ts'),
      unit('deploy', 'test/deploy/**/*.test.ts'),
      unit('docs', 'test/docs/**/*.test.ts'),
      unit('supply-chain', 'test/supply-chain/**/*.test.ts'),
      unit('judges', 'test/judges/**/*.test.ts'),
      unit('engines', 'test/engines/**/*.test.ts'),
      unit('host', 'test/host/**/*.test.ts'),
      {
        test: {
          name: 'infra',
          include: ['test/infra/**/*.test.ts'],
          testTimeout: 60_000,
          // Most of its time is the import of the CDK: once, in one worker, is enough. Nothing in it keeps state.
          isolate: false,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      unit('contract-memory', 'test/contract/**/*.memory.test.ts'),
      {
        test: {
          ...onEmulator,
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          exclude: ['test/contract/**/*.memory.test.ts'],
        },
      },
      // On the emulator that checks signatures and policies: every call is made with the rights that a role of ours gives.
      { test: { ...onEmulator, ...onCheckingEmulator, name: 'system', include: ['test/system/**/*.test.ts'] } },
      {
        test: {
          ...onEmulator,
          name: 'faults',
          include: ['test/faults/**/*.test.ts'],
          // Its cases have tables and queues of their own, so that many run at a time, and share nothing but the clients.
          maxConcurrency: 8,
          isolate: false,
          // They keep the emulator busy, and what waits for the deployed stack should not wait for that.
          sequence: { groupOrder: 4 },
        },
      },
      // A drill pauses the consumer and changes the capacity: nothing else may use the stack meanwhile.
      {
        test: { ...onEmulator, name: 'drills', include: ['test/drills/**/*.test.ts'], sequence: { groupOrder: 3 } },
      },
      // Hostile requests in numbers, which close and shrink the stack as well; `npm run fuzz` sends more of them.
      { test: { ...onEmulator, name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], sequence: { groupOrder: 5 } } },
      // Deploys each example beside the stack of the others.
      {
        test: { ...onEmulator, name: 'examples', include: ['test/examples/**/*.test.ts'], sequence: { groupOrder: 7 } },
      },
      // A short one; `npm run soak` goes on for as long as it is told.
      { test: { ...onEmulator, name: 'soak', include: ['test/soak/**/*.test.ts'], sequence: { groupOrder: 8 } } },
      // Changes the stack's state and counts on nobody else's.
      {
        test: {
          ...onEmulator,
          provide: { authChecked: true },
          name: 'auth',
          include: ['test/auth/**/*.test.ts'],
          sequence: { groupOrder: 6 },
        },
      },
      // On an emulator of its own, which is bootstrapped as an account is.
      {
        test: {
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          globalSetup: 'test/support/release/setup.ts',
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 9 },
        },
      },
    ],
  },
});
