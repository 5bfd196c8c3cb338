import { reasonsOf } from '#core/evidence.ts';
import { type HistoryEventName, states } from '#core/job.ts';
import { bounds } from '#core/limits.ts';
import type { jobView, strayView } from '#functions/http/job-view.ts';
import { allOf, count, list, mark, object, ref, type Schema, text, time, words } from './schema.ts';

export const deadReasons = reasonsOf.JobsDead;
export const strayReasons = reasonsOf.Strays;
const historyEvents = allOf<HistoryEventName>({
  accept: true,
  start: true,
  retry: true,
  recover: true,
  succeed: true,
  dead: true,
  'cancel-request': true,
  cancel: true,
  expire: true,
  redrive: true,
  discard: true,
  resend: true,
  stale: true,
});

/** Typed by what the code answers with, so that a member that is new there must be described here. */
const jobProperties: Readonly<Record<keyof ReturnType<typeof jobView>, Schema>> = {
  id: text('Follows from caller, type and key; the same over repetitions, retries and redrives.', {
    pattern: '^[0-9a-f]{32}$',
  }),
  type: text('The job type, as submitted.'),
  key: text('The caller’s idempotency key.', { maxLength: bounds.keyCharsMax }),
  state: words(
    'In flight: queued, running, retrying. Parked: dead. Final: succeeded, cancelled, expired, discarded.',
    states,
  ),
  attempt: count('Starts since the last redrive.'),
  attemptsMax: count('Starts that a tenure has, at most.'),
  starts: count('Starts in the job’s whole life.'),
  tenant: text('The caller without its session.'),
  submittedAt: time('When it was accepted.'),
  updatedAt: time('When its record last changed.'),
  nextAttemptAt: time('Not before this it starts.'),
  deadlineAt: time('If it has not started by then, it expires.'),
  stale: mark('It makes no progress although it is due.'),
  cancelRequested: mark('It is running and ends at its next checkpoint, unless its outcome comes first.'),
  result: { description: 'What its handler returned: any JSON value. Only when succeeded.' },
  reason: object('Why it is dead, or what it had died of when it was discarded.', {
    code: words('For programs.', deadReasons),
    message: text('For people.', { maxLength: bounds.reasonMessageChars }),
  }),
  progress: object(
    'What the handler last told of its work.',
    {
      done: { type: 'number', description: 'Units done.' },
      total: { type: 'number', description: 'Units in all.' },
      note: text('What is being done.', { maxLength: bounds.progressNoteChars }),
    },
    ['note'],
  ),
  redrives: count('How often it was redriven.'),
  payload: { description: 'As submitted: any JSON value. Only in answers for one job that was asked for.' },
  history: list(ref('HistoryEntry'), 'What happened to it, oldest first; the first entry and the newest are kept.', {
    maxItems: bounds.historyEntriesMax,
  }),
};

const jobOptional = [
  ...['nextAttemptAt', 'deadlineAt', 'stale', 'cancelRequested', 'result', 'reason', 'progress', 'payload'],
];

const strayProperties: Readonly<Record<keyof ReturnType<typeof strayView>, Schema>> = {
  id: text('Names it, for discarding.', { pattern: '^stray-[0-9a-f]{32}$' }),
  stray: mark('It is no job.'),
  reason: words('What is wrong with it.', strayReasons),
  receivedAt: time('When it was found.'),
};

const cursor = text('Where the next page begins; absent on the last. Opaque, and bound to caller and query.');

export const jobSchemas: Readonly<Record<string, Schema>> = {
  Job: object('A job as its record holds it.', jobProperties, jobOptional),
  HistoryEntry: object(
    'One thing that happened to a job.',
    {
      at: time('When.'),
      event: words('What.', historyEvents),
      attempt: count('At which attempt.'),
      detail: {
        type: 'object',
        description: 'By event: `waitSeconds` and `code` of a retry, `actor` of a cancel, and so on.',
        additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] },
      },
    },
    ['attempt', 'detail'],
  ),
  Stray: object('A message in the dead-letter queue that belongs to no job.', strayProperties),
  JobList: object(
    'Newest first. A page may be short and still have a cursor.',
    { jobs: list(ref('Job'), ''), cursor },
    ['cursor'],
  ),
  DeadList: object(
    'Newest first. A page may be short and still have a cursor.',
    { jobs: list({ oneOf: [ref('Job'), ref('Stray')] }, 'Jobs, and strays in between.'), cursor },
    ['cursor'],
  ),
  BatchResult: object('What became of each job of the list, in its order.', {
    results: list(
      object(
        'One of `job` and `problem`, as the status says.',
        {
          status: {
            type: 'integer',
            description: 'What a submission of this job alone would have been answered with.',
          },
          job: ref('Job'),
          problem: ref('Problem'),
        },
        ['job', 'problem'],
      ),
      'As many as there were jobs.',
      { minItems: 1, maxItems: bounds.batchJobsMax },
    ),
  }),
};
