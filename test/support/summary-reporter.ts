import { writeSync } from 'node:fs';
import type { Reporter, SerializedError, TestModule } from 'vitest/node';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const count = (modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): Counts => {
  const counts: Counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
  for (const module of modules) {
    const failedBefore = counts.failed;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'passed') counts.passed++;
      else if (state === 'failed') counts.failed++;
      else counts.skipped++;
    }
    // A file that does not load, or whose hooks fail, has no failed test and must count nevertheless.
    if (module.state() === 'failed' && counts.failed === failedBefore) counts.failed++;
  }
  return counts;
};

/**
 * Ends the output of a run with the one line `N passed, N failed`, and `, N skipped` if any, for people and scripts
 * that read only the last line. It is written while the process exits, after everything else had its say.
 */
export default class SummaryReporter implements Reporter {
  private line = '0 passed, 1 failed';

  onInit(): void {
    process.once('exit', () => writeSync(process.stdout.fd, `${this.line}\n`));
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    const { passed, failed, skipped } = count(modules, unhandledErrors);
    this.line = `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  }
}
