import type { JobContext, JobDone } from '#functions/jobs/define-job.ts';
import { Retryable } from '#functions/jobs/define-job.ts';
import { type WebhookSettings, webhookSettings } from '#functions/jobs/webhook/settings.ts';
import { webhookDeliver } from '#functions/jobs/webhook-deliver.ts';

export const jobId = 'abcdef0123456789abcdef0123456789';

/** Settings as an operator would write them, with the defaults for the rest. */
export const settings = (given: Partial<WebhookSettings> = {}): WebhookSettings => webhookSettings.parse(given);

/** As in the local stage: receivers on this machine. */
export const localSettings = (given: Partial<WebhookSettings> = {}): WebhookSettings =>
  settings({ hosts: ['127.0.0.1:*'], allowHttp: true, allowPrivateAddresses: true, ...given });

type World = NonNullable<Parameters<typeof webhookDeliver>[1]>;

/** How a delivery came out, and everything that it said on the way. */
export interface Delivered {
  readonly result: unknown;
  readonly error: (Error & { readonly afterSeconds?: number | undefined }) | undefined;
  readonly retryable: boolean;
  readonly logged: string;
}

/** Runs one attempt of the job, as the consumer would. */
export const deliver = async (
  payload: unknown,
  given: WebhookSettings = localSettings(),
  world: Partial<World> = {},
  context: Partial<JobContext<unknown>> = {},
): Promise<Delivered> => {
  const run = webhookDeliver(() => given, world).bind(payload);
  if (run === undefined) throw new Error('the payload does not fit the job');
  const lines: unknown[] = [];
  const log = (...line: unknown[]) => lines.push(line);
  const attempt = {
    id: jobId,
    attempt: 1,
    starts: 1,
    idempotencyKey: jobId,
    signal: new AbortController().signal,
    checkpoint: async () => {},
    progress: () => {},
    log: { info: log, warn: log },
    ...context,
  };
  const outcome = { result: undefined, error: undefined, retryable: false };
  try {
    const done: JobDone = await run(attempt);
    return { ...outcome, result: done.result, logged: JSON.stringify(lines) };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ...outcome, error, retryable: error instanceof Retryable, logged: JSON.stringify(lines) };
  }
};
