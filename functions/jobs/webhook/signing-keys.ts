import type { SSMClient, SSMClientConfig } from '@aws-sdk/client-ssm';
import { parseSecret, type SigningKeys } from './signature.ts';

/** How long keys are used without another look. A new key is in use everywhere after this. */
const freshMs = 300_000;
/** How long keys are used while the look fails, so that a short failure of SSM stops no delivery. */
const staleMs = 3_600_000;

/** The keys in a parameter, fetched when they are first needed. Rejects when there are none to be had. */
export type KeySource = (parameter: string) => Promise<SigningKeys>;

/** Keeps what was fetched for a bounded time; jobs that need the keys at the same moment share one call. */
export const keptKeys = (fetchSecret: (parameter: string) => Promise<string>, now: () => number): KeySource => {
  const kept = new Map<string, { readonly at: number; readonly keys: SigningKeys }>();
  const under = new Map<string, Promise<SigningKeys>>();

  const refresh = async (parameter: string): Promise<SigningKeys> => {
    try {
      const keys = parseSecret(await fetchSecret(parameter));
      kept.set(parameter, { at: now(), keys });
      return keys;
    } catch (error) {
      const old = kept.get(parameter);
      if (old !== undefined && now() - old.at < staleMs) return old.keys;
      throw error;
    } finally {
      under.delete(parameter);
    }
  };

  return async (parameter) => {
    const last = kept.get(parameter);
    if (last !== undefined && now() - last.at < freshMs) return last.keys;
    const running = under.get(parameter) ?? refresh(parameter);
    under.set(parameter, running);
    return running;
  };
};

/**
 * Reads a SecureString. The client's code is loaded at the first call and is the Lambda runtime's own (see
 * `infra/job-function.ts`), since most instances never sign anything and it would be an eighth of every bundle.
 */
export const ssmSecret = (config: SSMClientConfig = {}): ((parameter: string) => Promise<string>) => {
  let client: SSMClient | undefined;
  return async (parameter) => {
    const { GetParameterCommand, SSMClient } = await import('@aws-sdk/client-ssm');
    client ??= new SSMClient({
      maxAttempts: 2,
      requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
      ...config,
    });
    const { Parameter } = await client.send(new GetParameterCommand({ Name: parameter, WithDecryption: true }));
    return Parameter?.Value ?? '';
  };
};
