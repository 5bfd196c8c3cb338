import {
  batchExample,
  batchResultExample,
  cancelledExample,
  cancelRequestedExample,
  listExample,
  queuedExample,
  submissionExample,
  succeededExample,
} from './examples.ts';
import { operation } from './operation.ts';
import { idParameter, jobListParameters, keyParameter, waitParameter } from './parameters.ts';

const location = { Location: { description: 'The job’s path.', required: true, schema: { type: 'string' } } };
const replayed = {
  'Idempotency-Replayed': {
    description: 'The key was used before, for the same request.',
    required: true,
    schema: { type: 'string', enum: ['true'] },
  },
};

/** Both cancels are the same but for whose jobs they reach. */
export const cancelAnswers = {
  200: {
    description: 'Cancelled, now or before; its slot is free.',
    schema: 'Job',
    examples: { cancelled: cancelledExample },
  },
  202: {
    description: 'Running: requested. It ends at its next checkpoint, unless its outcome comes first.',
    schema: 'Job',
    examples: { requested: cancelRequestedExample },
  },
};

/** What submitters may call. */
export const jobPaths = {
  '/jobs': {
    post: operation({
      operationId: 'submitJob',
      tag: 'jobs',
      summary: 'Submit a job',
      description:
        'Answers come in this order: form, replay or conflict, intake closed, capacity reached. A refused submission does not use up its key.',
      parameters: [keyParameter],
      body: { schema: 'Submission', examples: { credit: submissionExample } },
      success: {
        202: {
          description: 'Accepted: slot and record are committed, and the message was sent.',
          schema: 'Job',
          examples: { accepted: queuedExample },
          headers: location,
        },
        200: {
          description: 'The same key and the same request: the same job, as it stands now.',
          schema: 'Job',
          examples: { replayed: queuedExample },
          headers: { ...location, ...replayed },
        },
      },
      problems: [
        ...(['missing-idempotency-key', 'invalid-idempotency-key', 'unknown-job-type'] as const),
        ...(['idempotency-conflict', 'queue-full', 'tenant-quota', 'intake-closed'] as const),
      ],
    }),
    get: operation({
      operationId: 'listJobs',
      tag: 'jobs',
      summary: 'List your own jobs',
      description: 'Newest first.',
      parameters: jobListParameters,
      success: { 200: { description: 'A page.', schema: 'JobList', examples: { page: listExample } } },
      problems: [],
    }),
  },
  '/jobs/batch': {
    post: operation({
      operationId: 'submitJobs',
      tag: 'jobs',
      summary: 'Submit up to 25 jobs',
      description:
        'Each job is admitted or refused for itself, with the same guarantees as alone. Several with one key in a list are one job.',
      body: { schema: 'Batch', examples: { two: batchExample } },
      success: {
        200: {
          description: 'What became of each. This status says nothing about the jobs.',
          schema: 'BatchResult',
          examples: { partly: batchResultExample },
        },
      },
      problems: [],
    }),
  },
  '/jobs/{id}': {
    get: operation({
      operationId: 'getJob',
      tag: 'jobs',
      summary: 'See one of your jobs',
      description: 'With its payload. May wait for the job to leave flight.',
      parameters: [idParameter, waitParameter],
      success: { 200: { description: 'The job.', schema: 'Job', examples: { succeeded: succeededExample } } },
      problems: ['job-not-found'],
    }),
  },
  '/jobs/{id}/cancel': {
    post: operation({
      operationId: 'cancelJob',
      tag: 'jobs',
      summary: 'Cancel one of your jobs',
      description: 'At once before it runs; at its next checkpoint while it does. An effect that came first stays.',
      parameters: [idParameter],
      body: { schema: 'Empty', examples: { empty: {} }, required: false },
      success: cancelAnswers,
      problems: ['job-not-found', 'not-in-flight'],
    }),
  },
};
