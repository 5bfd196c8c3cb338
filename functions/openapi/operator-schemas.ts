import type { Intake } from '#core/control.ts';
import { bounds } from '#core/limits.ts';
import type { BulkResult, SkipCode } from '#flow/bulk.ts';
import type { Status } from '#flow/inspect.ts';
import type { ConsumerState } from '#functions/ports.ts';
import { allOf, count, list, object, type Schema, text, time, words } from './schema.ts';

const intakes = allOf<Intake>({ open: true, closed: true, draining: true, drained: true });
const consumerStates = allOf<ConsumerState>({ running: true, pausing: true, paused: true, resuming: true });
const stops = allOf<BulkResult['stoppedBy']>({ end: true, full: true, limit: true, time: true, closed: true });
const skips = allOf<SkipCode>({ 'job-not-found': true, 'not-dead': true, 'redrive-limit': true, 'queue-full': true });

const inState = (name: string): Schema =>
  count(`Of these, ${name}. Null when more than ${bounds.statusSplitMax} are in flight.`, { nullable: true });

/** Typed by what the code answers with, as in `job-schemas.ts`. */
const statusProperties: Readonly<Record<keyof Status, Schema>> = {
  intake: words('Whether jobs are admitted.', intakes),
  capacity: count('Jobs in flight at most.', { minimum: 1, maximum: bounds.capacityMax }),
  inFlight: object('Jobs that hold a slot.', {
    total: count('Slots taken, read consistently.'),
    queued: inState('queued'),
    running: inState('running'),
    retrying: inState('retrying'),
  }),
  backlog: object('Messages of the main queue, as SQS counts them: approximately.', {
    visible: count('Ready to be received.'),
    notVisible: count('Being worked on, or waiting for a retry.'),
    delayed: count('Not yet due.'),
  }),
  dead: count(`Dead jobs and strays, counted up to ${bounds.deadCountMax}.`, { maximum: bounds.deadCountMax }),
  consumer: words('Whether jobs are run.', consumerStates),
  drain: object(
    'While draining, and until the intake is changed again.',
    {
      left: count('Slots still taken.'),
      until: time('When the drain gives up waiting.'),
      waitingFor: words('What must happen before it can go on.', ['consumer-paused']),
    },
    ['until', 'waitingFor'],
  ),
};

const bulkProperties: Readonly<Record<Exclude<keyof BulkResult, 'next'> | 'cursor', Schema>> = {
  examined: count('How many were looked at.'),
  moved: count('How many were redriven or discarded; in a dry run, how many would be.'),
  skipped: list(
    object('One that was left as it is.', { id: text('Its id.'), code: words('Why.', skips) }),
    'Those that were left as they are.',
  ),
  stoppedBy: words('Why the call went no further.', stops),
  cursor: text('Send the same request with it to go on; absent at the end.'),
  dryRun: { type: 'boolean', description: 'Whether it only looked.' },
};

export const operatorSchemas: Readonly<Record<string, Schema>> = {
  Status: object('The system as it stands.', statusProperties, ['drain']),
  BulkResult: object('How far a redrive or a discard came.', bulkProperties, ['cursor']),
};
