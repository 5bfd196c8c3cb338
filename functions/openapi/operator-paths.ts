import {
  bulkExample,
  bulkResultExample,
  deadListExample,
  drainingExample,
  listExample,
  statusExample,
  succeededExample,
} from './examples.ts';
import { cancelAnswers } from './job-paths.ts';
import { operation } from './operation.ts';
import { deadListParameters, idParameter, operatorListParameters } from './parameters.ts';

const tag = 'operator';
const newStatus = (name: string, example: unknown) => ({
  200: { description: 'The new status.', schema: 'Status', examples: { [name]: example } },
});

const bulk = (operationId: string, summary: string, description: string) =>
  operation({
    operationId,
    tag,
    summary,
    description: `${description} Bounded in number and time; safe to repeat, and for two operators at once.`,
    body: {
      schema: 'Bulk',
      examples: { rehearsal: bulkExample, all: { all: true }, ids: { ids: [succeededExample.id] } },
    },
    success: {
      200: { description: 'How far it came.', schema: 'BulkResult', examples: { rehearsal: bulkResultExample } },
    },
    problems: [],
  });

/** What operators may call beside that. */
export const operatorPaths = {
  '/operator/status': {
    get: operation({
      operationId: 'getStatus',
      tag,
      summary: 'See how the system stands',
      description: 'A cancel that was answered with 200 has freed its slot here.',
      success: { 200: { description: 'The status.', schema: 'Status', examples: { open: statusExample } } },
      problems: [],
    }),
  },
  '/operator/jobs': {
    get: operation({
      operationId: 'listAllJobs',
      tag,
      summary: 'List jobs of all tenants',
      description: 'Newest first.',
      parameters: operatorListParameters,
      success: { 200: { description: 'A page.', schema: 'JobList', examples: { page: listExample } } },
      problems: [],
    }),
  },
  '/operator/jobs/{id}': {
    get: operation({
      operationId: 'getAnyJob',
      tag,
      summary: 'See any job',
      description: 'With its payload.',
      parameters: [idParameter],
      success: { 200: { description: 'The job.', schema: 'Job', examples: { succeeded: succeededExample } } },
      problems: ['job-not-found'],
    }),
  },
  '/operator/jobs/{id}/cancel': {
    post: operation({
      operationId: 'cancelAnyJob',
      tag,
      summary: 'Cancel any job',
      description: 'As its owner would.',
      parameters: [idParameter],
      body: { schema: 'Empty', examples: { empty: {} }, required: false },
      success: cancelAnswers,
      problems: ['job-not-found', 'not-in-flight'],
    }),
  },
  '/operator/dead': {
    get: operation({
      operationId: 'listDead',
      tag,
      summary: 'List dead jobs and strays',
      description: 'Newest first.',
      parameters: deadListParameters,
      success: { 200: { description: 'A page.', schema: 'DeadList', examples: { page: deadListExample } } },
      problems: [],
    }),
  },
  '/operator/dead/redrive': {
    post: bulk(
      'redriveDead',
      'Run dead jobs again',
      'Each under its own id and key, with new attempts. Takes a slot for each, as a submission does, and stops when there is none or the intake is closed.',
    ),
  },
  '/operator/dead/discard': {
    post: bulk('discardDead', 'Discard dead jobs and strays', 'A discarded job keeps its record until it expires.'),
  },
  '/operator/intake': {
    post: operation({
      operationId: 'setIntake',
      tag,
      summary: 'Open, close or drain the intake',
      description:
        'With a mode the intake is `draining` until no slot is taken and no message is worked on, then `drained`; or `closed`, when the time for it is over.',
      body: { schema: 'Intake', examples: { drain: { state: 'closed', mode: 'drain' }, open: { state: 'open' } } },
      success: newStatus('draining', drainingExample),
      problems: [],
    }),
  },
  '/operator/capacity': {
    post: operation({
      operationId: 'setCapacity',
      tag,
      summary: 'Set the capacity',
      description: 'Jobs that were admitted before it was lowered stay.',
      body: { schema: 'Capacity', examples: { half: { capacity: 500 } } },
      success: newStatus('half', { ...statusExample, capacity: 500 }),
      problems: [],
    }),
  },
  '/operator/consumer': {
    post: operation({
      operationId: 'setConsumer',
      tag,
      summary: 'Pause or resume the consumer',
      description: 'A call in the middle of a change is answered with the state in between.',
      body: { schema: 'Consumer', examples: { pause: { state: 'paused' } } },
      success: newStatus('pausing', { ...statusExample, consumer: 'pausing' }),
      problems: [],
    }),
  },
};
