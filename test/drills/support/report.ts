import { countsText } from './bench.ts';
import type { DrillResult } from './conduct.ts';
import type { Drill } from './drill.ts';

/** Where the running commentary of drills goes. */
export interface Reporter {
  begin(drill: Drill): void;
  /** A labelled line of the drill that runs. */
  line(label: string, text: string): void;
  trace(text: string): void;
  end(result: DrillResult): void;
}

/** Says nothing: for test runs, whose own report is enough. */
export const silent: Reporter = {
  begin: () => undefined,
  line: () => undefined,
  trace: () => undefined,
  end: () => undefined,
};

const labelWidth = 9;

/** Says everything as it happens, one line at a time. */
export const spoken = (print: (line: string) => void, traced: boolean): Reporter => {
  const started = Date.now();
  const seconds = () => ((Date.now() - started) / 1_000).toFixed(1).padStart(6);
  const line = (label: string, text: string) => print(`${seconds()} s  ${label.padEnd(labelWidth)} ${text}`);
  return {
    begin: ({ name, title, expected }) => {
      print('');
      line('DRILL', `${name}: ${title}`);
      for (const [what, text] of Object.entries(expected)) line('expected', `${what}: ${text}`);
    },
    line,
    trace: (text) => {
      if (traced) line('trace', text);
    },
    end: (result) => {
      // A drill that broke off has observed nothing; what it expected stands above.
      for (const { what, expected, observed } of result.error === undefined ? result.findings : []) {
        const verdict = expected === observed ? 'ok' : `NO, expected: ${expected}`;
        line('observed', `${what}: ${observed}  [${verdict}]`);
      }
      if (result.error !== undefined) line('ERROR', result.error);
      line(result.passed ? 'PASSED' : 'FAILED', `${result.name} in ${result.seconds.toFixed(1)} s`);
    },
  };
};

const cells = (result: DrillResult): string[] => {
  const met = result.findings.filter((finding) => finding.expected === finding.observed).length;
  const slots = result.counts.map((counts) => counts.slots).join(' → ');
  return [
    result.name,
    `${met} of ${result.findings.length}`,
    slots,
    result.seconds.toFixed(1),
    result.passed ? 'ok' : 'NO',
  ];
};

const header = ['drill', 'as expected', 'slots over time', 'seconds', ''];

const aligned = (rows: readonly (readonly string[])[]): string[] => {
  const widths = header.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** All drills of a run, one line each. */
export const tableOf = (results: readonly DrillResult[]): string => {
  const [head = '', ...lines] = aligned([header, ...results.map(cells)]);
  return [head, '-'.repeat(head.length + 4), ...lines].join('\n');
};

/** The record of a run for people. */
export const markdownOf = (at: string, seconds: number, results: readonly DrillResult[]): string => {
  const row = (parts: readonly string[]) => `| ${parts.map((part) => part.replaceAll('|', '\\|')).join(' | ')} |`;
  const chapter = (result: DrillResult): string[] => [
    '',
    `## ${result.name}: ${result.title}`,
    '',
    ...result.faults.map((fault) => `- fault: ${fault}`),
    ...result.counts.map((counts) => `- ${counts.moment}: ${countsText(counts)}`),
    ...result.notes.map((note) => `- note: ${note}`),
    ...(result.error === undefined ? [] : [`- error: ${result.error}`]),
    '',
    row(['what', 'expected', 'observed']),
    row(['---', '---', '---']),
    ...result.findings.map(({ what, expected, observed }) => row([what, expected, observed])),
  ];
  return [
    `# Drills of ${at}`,
    '',
    `${results.filter((result) => result.passed).length} of ${results.length} passed in ${seconds.toFixed(0)} s.`,
    '',
    row(header),
    row(header.map(() => '---')),
    ...results.map((result) => row(cells(result))),
    ...results.flatMap(chapter),
    '',
  ].join('\n');
};
