import * as z from 'zod/mini';
import { bounds } from '#core/limits.ts';
import { bodySchema } from '#core/submission.ts';
import { bulkBody, capacityBody, consumerBody, intakeBody } from '#functions/http/inputs.ts';
import { list, type Schema, text } from './schema.ts';

/** Made from the very schema that checks the call, with words for each member. */
const fromZod = (schema: z.ZodMiniType, description: string, members: Readonly<Record<string, string>>): Schema => {
  const made = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      // The pattern that zod adds to a format says the same again, in 300 characters.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  }) as Schema;
  const properties = Object.entries(made.properties ?? {}).map(([name, property]) => {
    const about = members[name];
    if (about === undefined) throw new Error(`the member ${name} has no description`);
    return [name, { description: about, ...property }];
  });
  return { description, ...made, properties: Object.fromEntries(properties) };
};

const submission = fromZod(bodySchema, 'A job to run.', {
  type: 'A job type that is deployed.',
  payload: `Any JSON value that fits the type, up to ${bounds.payloadBytes} bytes as canonical JSON. Numbers must survive a round trip.`,
  options: 'Times of this job. Absent is the same as empty.',
});
/** zod cannot tell an absent unknown from one that is there, so the code checks it apart, and it is said here. */
const required = ['type', 'payload'];

const keyPattern = '^[A-Za-z0-9_.:-]{1,64}$';

export const requestSchemas: Readonly<Record<string, Schema>> = {
  Submission: { ...submission, required },
  Batch: {
    type: 'object',
    description: 'Jobs to run, each admitted or refused for itself.',
    properties: {
      jobs: list(
        {
          ...submission,
          properties: { key: text('Its idempotency key.', { pattern: keyPattern }), ...submission.properties },
          required: ['key', ...required],
        },
        'Each as it would be submitted alone, with its key.',
        { minItems: 1, maxItems: bounds.batchJobsMax },
      ),
    },
    required: ['jobs'],
    additionalProperties: false,
  },
  Empty: { type: 'object', description: 'Nothing; the body may also be absent.', additionalProperties: false },
  Bulk: fromZod(bulkBody, 'What to work on: `ids`, or a `filter`, or `all: true`.', {
    ids: 'These, and no filter.',
    filter: 'All dead ones that fit all of it.',
    all: 'True: everything.',
    limit: 'How many to look at, at most. Default: all ids, else 50.',
    ratePerSecond: 'How many to move in a second, at most.',
    dryRun: 'Only look, and tell what would be done.',
    force: 'Redrive also what was redriven often, up to a second bound.',
    cursor: 'From the answer to the same request.',
  }),
  Intake: fromZod(intakeBody, 'Whether jobs are admitted.', {
    state: 'Once this is answered with `closed`, no slot is taken any more.',
    mode: 'With `closed`: wait for what is in flight, or cancel it.',
  }),
  Capacity: fromZod(capacityBody, 'A new capacity, in force once this is answered.', {
    capacity: 'Jobs in flight at most.',
  }),
  Consumer: fromZod(consumerBody, 'Whether jobs are run.', { state: 'Pausing and resuming take a while.' }),
};
