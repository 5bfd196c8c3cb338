import * as z from 'zod/mini';
import { assertLimits, type Limits } from '#core/limits.ts';
import { type WebhookSettings, webhookSettings } from './jobs/webhook/settings.ts';

/** The one reader of `process.env`. Each Lambda has its schema and parses it once, at its first invocation. */
const text = z.string().check(z.minLength(1));

/** A variable that holds JSON; what `check` throws becomes the variable's own error. */
const json = <T>(check: (value: unknown) => T) =>
  z.pipe(
    text,
    z.transform((value: string, context): T => {
      try {
        return check(JSON.parse(value));
      } catch (error) {
        const message = error instanceof Error ? error.message : 'is not valid';
        context.issues.push({ code: 'custom', message, input: value });
        return z.NEVER;
      }
    }),
  );

/** In words, as CloudFormation passes it. */
const flag = z.pipe(
  z._default(z.enum(['true', 'false']), 'false'),
  z.transform((value) => value === 'true'),
);

const shared = {
  SLUICE_LIMITS: json((value) => assertLimits(value as Limits)),
  JOBS_TABLE_NAME: text,
  /** Whether each tenant's messages get a group of their own. */
  FAIR_QUEUES: flag,
  QUEUE_URL: text,
  /** Powertools would then run handlers without any guard. */
  POWERTOOLS_IDEMPOTENCY_DISABLED: z.optional(
    z
      .string()
      .check(
        z.refine(
          (value) => ['', '0', 'false', 'no', 'off'].includes(value.toLowerCase()),
          'must not be set: jobs would be acknowledged without being run',
        ),
      ),
  ),
};

/** Where `webhook.deliver` may send to. Absent: nowhere. */
const webhookVariables = {
  WEBHOOK_SETTINGS: z.pipe(
    z._default(z.string(), '{}'),
    json((value) => z.parse(webhookSettings, value)),
  ),
};
const webhookSchema = z.object(webhookVariables);

const apiSchema = z.object({ ...shared, TENANT_CLAIM: z.optional(text) });
const consumerSchema = z.object({
  ...shared,
  DEAD_LETTER_QUEUE_URL: text,
  /** Real names of the tables that handlers write to, by logical name. */
  JOB_TABLES: json((value) => z.parse(z.record(z.string(), text), value)),
  ...webhookVariables,
});
const operatorSchema = z.object({
  ...shared,
  TENANT_CLAIM: z.optional(text),
  DEAD_LETTER_QUEUE_URL: text,
  EVENT_SOURCE_MAPPING_ID: text,
});

export type ApiEnv = z.infer<typeof apiSchema>;
export type ConsumerEnv = z.infer<typeof consumerSchema>;
export type OperatorEnv = z.infer<typeof operatorSchema>;

/** Throws an Error that names every variable that is missing or wrong, so that a bad deployment fails at its first call. */
const read = <T>(schema: z.ZodMiniType<T>, env: NodeJS.ProcessEnv): T => {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`the function's environment is not valid:\n${lines.join('\n')}`);
};

export const readApiEnv = (env: NodeJS.ProcessEnv = process.env): ApiEnv => read(apiSchema, env);
export const readConsumerEnv = (env: NodeJS.ProcessEnv = process.env): ConsumerEnv => read(consumerSchema, env);
export const readOperatorEnv = (env: NodeJS.ProcessEnv = process.env): OperatorEnv => read(operatorSchema, env);
/** For the job itself. The consumer's own schema has it too, so that wrong settings fail its first invocation. */
export const readWebhookSettings = (env: NodeJS.ProcessEnv = process.env): WebhookSettings =>
  read(webhookSchema, env).WEBHOOK_SETTINGS;

/** The X-Ray header of the invocation at hand, which the Lambda runtime sets anew for each. */
export const readTraceHeader = (): string | undefined => process.env['_X_AMZN_TRACE_ID'];
