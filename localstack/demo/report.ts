/** One expectation, stated before the step ran, and what came of it. */
export interface Finding {
  readonly step: string;
  readonly what: string;
  readonly expected: string;
  readonly observed: string;
}

const started = Date.now();

/** A line of progress with the seconds since the start. */
export const progress = (line: string): void => {
  console.log(`${((Date.now() - started) / 1_000).toFixed(1).padStart(6)} s  ${line}`);
};

/** Expectations and observations side by side; true if all are met. */
export const report = (findings: readonly Finding[]): boolean => {
  const rows = findings.map((f) => [f.step, f.what, f.expected, f.observed, f.expected === f.observed ? 'ok' : 'NO']);
  const header = ['', 'what', 'expected', 'observed', ''];
  const widths = header.map((_, i) => Math.max(...[header, ...rows].map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  console.log(`\n${line(header)}\n${line(widths.map((width) => '-'.repeat(width)))}`);
  for (const row of rows) console.log(line(row));
  const passed = findings.length > 0 && rows.every((row) => row[4] === 'ok');
  console.log(
    `\n${passed ? 'PASS' : 'FAIL'}: ${rows.filter((row) => row[4] === 'ok').length} of ${rows.length} as expected`,
  );
  return passed;
};
