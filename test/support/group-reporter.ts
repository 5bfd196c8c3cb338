import { writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

/** What became of the tests of one file. */
export interface GroupResult {
  /** `system/retries`, say. */
  readonly group: string;
  readonly passed: number;
  /** Full names. A file that does not load has its own name here. */
  readonly failed: readonly string[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

const resultOf = (module: TestModule): GroupResult => {
  const group = `${module.project.name}/${basename(module.moduleId).replace('.test.ts', '')}`;
  const tests = [...module.children.allTests()].map((test) => ({ name: test.fullName, result: test.result() }));
  const failed = tests.filter(({ result }) => result.state === 'failed').map(({ name }) => name);
  return {
    group,
    passed: tests.filter(({ result }) => result.state === 'passed').length,
    failed: module.state() === 'failed' && failed.length === 0 ? [group] : failed,
    skipped: tests.flatMap(({ name, result }) =>
      result.state === 'skipped' || result.state === 'pending'
        ? [{ name, reason: (result.state === 'skipped' && result.note) || 'skipped in its file' }]
        : [],
    ),
  };
};

/** Writes the results of each test file as JSON to the file that `SLUICE_GROUPS_FILE` names. */
export default class GroupReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const file = process.env['SLUICE_GROUPS_FILE'];
    if (file === undefined) throw new Error('The group reporter needs SLUICE_GROUPS_FILE, the file that it writes to.');
    const groups = modules.map(resultOf).sort((a, b) => a.group.localeCompare(b.group));
    writeFileSync(file, JSON.stringify(groups));
  }
}
