import { lookup as dnsLookup } from 'node:dns/promises';
import { defineJob, type Job, type JobContext, Retryable } from './define-job.ts';
import { type Lookup, resolveTarget } from './webhook/addresses.ts';
import { type Answer, post } from './webhook/post.ts';
import { retryAfterSeconds } from './webhook/retry-after.ts';
import type { WebhookSettings } from './webhook/settings.ts';
import { signatureOf } from './webhook/signature.ts';
import { type KeySource, keptKeys, ssmSecret } from './webhook/signing-keys.ts';
import { deliveryPayload, refusalOf } from './webhook/target.ts';

/** What surrounds a delivery; tests put in their own. */
interface DeliveryWorld {
  readonly lookup: Lookup;
  readonly keys: KeySource;
  readonly now: () => number;
  /** How long a receiver may take, all in all. The stage's own job timeout may be shorter. */
  readonly answerMs: number;
}

const answerMs = 10_000;

/** Refused by this deployment or by the receiver: trying again would change nothing. */
class DeliveryRefused extends Error {
  override readonly name = 'DeliveryRefused';
}

/** Statuses of the 4xx that say "later" and not "never". */
const retriedStatuses: readonly number[] = [408, 409, 425, 429];

/**
 * Sends a JSON body to a webhook, with `Idempotency-Key: <job id>`. The effect is elsewhere, so it happens at least once:
 * the receiver must know the key again. Only 2xx is success; what the receiver answers beyond its status is neither kept
 * nor logged. `settings` is read at the first delivery, and says where deliveries may go at all.
 */
export const webhookDeliver = (settings: () => WebhookSettings, over: Partial<DeliveryWorld> = {}): Job => {
  const now = over.now ?? Date.now;
  const world: DeliveryWorld = {
    lookup: (hostname) => dnsLookup(hostname, { all: true }),
    keys: keptKeys(ssmSecret(), now),
    now,
    answerMs,
    ...over,
  };
  let known: WebhookSettings | undefined;
  return defineJob({
    type: 'webhook.deliver',
    payload: deliveryPayload,
    timeoutSeconds: 15,
    external: true,
    run: async (context) => {
      known ??= settings();
      const status = await deliver(world, known, context);
      context.log.info('webhook delivered', { status });
      return { result: { status } };
    },
  });
};

type Delivery = JobContext<{ url: string; body?: unknown; headers?: Readonly<Record<string, string>> | undefined }>;

const deliver = async (world: DeliveryWorld, settings: WebhookSettings, context: Delivery): Promise<number> => {
  const { payload } = context;
  const target = new URL(payload.url);
  const refusal = refusalOf(target, settings);
  if (refusal !== undefined) throw new DeliveryRefused(refusal);

  const body = JSON.stringify(payload.body);
  const timeout = AbortSignal.timeout(world.answerMs);
  const signal = AbortSignal.any([context.signal, timeout]);
  const addresses = await orRetry(
    beforeAbort(resolveTarget(target, world.lookup, settings.allowPrivateAddresses), signal),
    'the name of the host could not be resolved',
  );
  if (addresses === undefined) throw new DeliveryRefused('the host has an address that is private or reserved');

  const signature = await sign(world, settings, body);
  // From here on a cancel comes too late: the receiver may have acted.
  await context.checkpoint();
  const answer = await orRetry(
    post({
      target,
      addresses,
      headers: {
        ...payload.headers,
        'content-type': 'application/json',
        'user-agent': 'sluice',
        'idempotency-key': context.idempotencyKey,
        ...(signature !== undefined && { 'sluice-signature': signature }),
      },
      body,
      signal,
    }),
    'the receiver gave no answer',
  );
  judge(answer, world.now());
  return answer.status;
};

const sign = async (world: DeliveryWorld, settings: WebhookSettings, body: string): Promise<string | undefined> => {
  if (settings.signingParameter === undefined) return undefined;
  const keys = await orRetry(world.keys(settings.signingParameter), 'the signing keys could not be read');
  return signatureOf(keys, body, world.now());
};

const judge = ({ status, retryAfter }: Answer, nowMs: number): void => {
  if (status >= 200 && status < 300) return;
  if (retriedStatuses.includes(status) || status >= 500) {
    throw new Retryable(`the receiver answered ${status}`, { afterSeconds: retryAfterSeconds(retryAfter, nowMs) });
  }
  const redirect = status >= 300 && status < 400 ? '; redirects are not followed' : '';
  throw new DeliveryRefused(`the receiver answered ${status}${redirect}`);
};

/** What failed on the way may pass. Only its code is told: messages of the network quote addresses. */
const orRetry = async <T>(step: Promise<T>, what: string): Promise<T> => {
  try {
    return await step;
  } catch (error) {
    throw new Retryable(`${what} (${codeOf(error)})`);
  }
};

const codeOf = (error: unknown): string => {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(typeof code === 'string' ? code : name);
};

/** A look-up cannot be stopped, but it need not be waited for. */
const beforeAbort = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};
