import type { DeadEntry, JobAnswer, StrayAnswer } from '../answers.ts';
import type { Colour, Io } from '../io.ts';
import { jsonLines, plain } from './plain.ts';
import { type Column, fields, table } from './table.ts';
import { second, since } from './time.ts';

const colours: Readonly<Record<string, Colour>> = {
  running: 'cyan',
  succeeded: 'green',
  retrying: 'yellow',
  dead: 'red',
  expired: 'yellow',
};

const paintState = (io: Io, state: string, text = plain(state)): string => {
  const colour = colours[state];
  return colour === undefined ? text : io.paint(colour, text);
};

/** What is odd about a job, in a word or two. */
const marks = (job: JobAnswer): string =>
  [job.cancelRequested && 'cancel requested', job.stale && 'stale'].filter(Boolean).join(', ');

export const isStray = (entry: DeadEntry): entry is StrayAnswer => 'stray' in entry;

/** A list of jobs, one a line. */
export const jobTable = (io: Io, jobs: readonly JobAnswer[]): readonly string[] =>
  table(io, jobs, [
    { title: 'ID', cell: (job) => job.id },
    { title: 'STATE', cell: (job) => job.state, paint: (text, job) => paintState(io, job.state, text) },
    { title: 'TYPE', cell: (job) => job.type, shrinks: 3 },
    { title: 'ATTEMPT', cell: (job) => `${job.attempt}/${job.attemptsMax}` },
    { title: 'SUBMITTED', cell: (job) => second(job.submittedAt) },
    { title: 'KEY', cell: (job) => job.key, shrinks: 2 },
    { title: 'TENANT', cell: (job) => job.tenant, shrinks: 1 },
    { title: 'REASON', cell: (job) => job.reason?.code, shrinks: 4 },
    { title: 'NOTE', cell: marks },
  ] satisfies Column<JobAnswer>[]);

/** Dead jobs and strays, one a line. */
export const deadTable = (io: Io, entries: readonly DeadEntry[]): readonly string[] => {
  const ofJob = (read: (job: JobAnswer) => unknown) => (entry: DeadEntry) => (isStray(entry) ? undefined : read(entry));
  return table(io, entries, [
    { title: 'ID', cell: (entry) => entry.id },
    { title: 'REASON', cell: (entry) => (isStray(entry) ? entry.reason : entry.reason?.code) },
    { title: 'TYPE', cell: (entry) => (isStray(entry) ? '(stray)' : entry.type), shrinks: 3 },
    { title: 'SINCE', cell: (entry) => second(isStray(entry) ? entry.receivedAt : entry.updatedAt) },
    { title: 'REDRIVES', cell: ofJob((job) => job.redrives) },
    { title: 'TENANT', cell: ofJob((job) => job.tenant), shrinks: 1 },
    { title: 'MESSAGE', cell: ofJob((job) => job.reason?.message), shrinks: 4 },
  ]);
};

/** All of one job: what it is, what became of it, and its history. */
export const jobDetails = (io: Io, job: JobAnswer): readonly string[] => {
  const now = io.now();
  const { progress, reason } = job;
  const odd = marks(job);
  return [
    ...fields(io, [
      ['Job', plain(job.id)],
      ['State', paintState(io, job.state) + (odd === '' ? '' : ` (${odd})`)],
      ['Reason', reason && `${plain(reason.code)}: ${plain(reason.message)}`],
      ['Type', plain(job.type)],
      ['Key', plain(job.key)],
      ['Tenant', plain(job.tenant)],
      ['Attempt', `${job.attempt} of ${job.attemptsMax} (in all: starts ${job.starts}, redrives ${job.redrives})`],
      ['Progress', progress && `${progress.done} of ${progress.total} ${plain(progress.note)}`.trimEnd()],
      ['Submitted', plain(since(job.submittedAt, now))],
      ['Updated', plain(since(job.updatedAt, now))],
      ['Next attempt', plain(since(job.nextAttemptAt, now))],
      ['Deadline', plain(since(job.deadlineAt, now))],
    ]),
    ...block(io, 'Payload', job.payload),
    ...block(io, 'Result', job.result),
    '',
    io.paint('bold', 'History'),
    ...table(io, job.history, [
      { title: 'AT', cell: (entry) => entry.at },
      {
        title: 'EVENT',
        cell: (entry) => entry.event,
        paint: (text, entry) => paintState(io, eventState(entry.event), text),
      },
      { title: 'ATTEMPT', cell: (entry) => entry.attempt },
      { title: 'DETAIL', cell: (entry) => details(entry.detail) },
    ]).map((line) => `  ${line}`),
  ];
};

const eventState = (event: string): string => (event === 'succeed' ? 'succeeded' : event);

const details = (detail: Readonly<Record<string, unknown>> | undefined): string =>
  Object.entries(detail ?? {})
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' ');

const block = (io: Io, title: string, value: unknown): readonly string[] =>
  value === undefined ? [] : ['', io.paint('bold', title), ...jsonLines(value).map((line) => `  ${line}`)];

/** A stray: a message that belongs to no job. Nothing of its body is shown, as nobody knows what it holds. */
export const strayDetails = (io: Io, stray: StrayAnswer): readonly string[] =>
  fields(io, [
    ['Stray', plain(stray.id)],
    ['Reason', plain(stray.reason)],
    ['Received', plain(since(stray.receivedAt, io.now()))],
  ]);
