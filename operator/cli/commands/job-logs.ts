import type { JobAnswer } from '../answers.ts';
import { type ExitCode, exit } from '../exit.ts';
import { findLogLines, type LogLine } from '../logs.ts';
import { table } from '../render/table.ts';
import type { Session } from '../session.ts';

const linesMax = 500;

/** Prints what the functions logged about a job; as JSON each line as it was logged. */
export const addLogs = async (session: Session, job: JobAnswer): Promise<ExitCode> => {
  const { io } = session;
  const { lines, more } = await findLogLines(session.target, job, linesMax);
  if (session.json) for (const line of lines) session.showText(line.text);
  else {
    io.out('');
    io.out(io.paint('bold', 'Logs'));
    for (const line of logTable(session, lines)) io.out(`  ${line}`);
  }
  if (lines.length === 0) io.note('No log line names it; log groups lag by seconds, and are kept for their retention.');
  if (more) io.note(`There are more than ${linesMax} lines; these are the first.`);
  return more ? exit.partly : exit.done;
};

/** Has a column of its own, or is the same on every line of a function. */
const isKnown = (name: string): boolean =>
  /^(level|message|timestamp|service|jobId|code|detail|xray_trace_id|sampling_rate|cold_start|function_.*)$/.test(name);

const logTable = ({ io }: Session, lines: readonly LogLine[]): readonly string[] =>
  table(io, lines, [
    { title: 'AT', cell: ({ at }) => new Date(at).toISOString() },
    { title: 'FUNCTION', cell: ({ functionName }) => functionName.replace(/^.*-/, '') },
    {
      title: 'LEVEL',
      cell: ({ fields }) => fields?.['level'],
      paint: (text) => (/WARN|ERROR/.test(text) ? io.paint('yellow', text) : text),
    },
    { title: 'MESSAGE', cell: ({ fields, text }) => fields?.['message'] ?? text.trimEnd() },
    { title: 'CODE', cell: ({ fields }) => fields?.['code'] },
    { title: 'DETAIL', cell: ({ fields }) => rest(fields) },
  ]);

/** What a line says beyond what has a column of its own. */
const rest = (fields: LogLine['fields']): string => {
  if (fields === undefined) return '';
  const { detail } = fields;
  const own = Object.entries(fields).filter(([name]) => !isKnown(name));
  const more = typeof detail === 'object' && detail !== null ? Object.entries(detail) : [];
  return [...own, ...more]
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');
};
