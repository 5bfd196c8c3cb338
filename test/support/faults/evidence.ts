import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { vi } from 'vitest';
import { makeTelemetry } from '#adapters/telemetry.ts';
import { counterNames } from '#core/evidence.ts';
import type { Limits } from '#core/limits.ts';
import { apiRoutes } from '#functions/api.ts';
import { makeApi } from '#functions/http/router.ts';
import { onInstance } from '#functions/invocation.ts';
import { Lab } from './lab.ts';

const context = {
  functionName: 'evidence',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:evidence',
  memoryLimitInMB: '256',
  awsRequestId: 'request',
  getRemainingTimeInMillis: () => 25_000,
} as Context;

type Line = Readonly<Record<string, unknown>>;

/** A lab with the loggers and metrics of the functions, and all that they wrote. */
export const witnessedLab = async (limits: Partial<Limits>) => {
  const logger = new Logger({ serviceName: 'sluice' });
  const metrics = new Metrics({ namespace: 'Sluice', serviceName: 'sluice' });
  const lab = await Lab.make(limits, makeTelemetry(logger, metrics));
  // Powertools writes to the streams directly, as the functions' runtime wants it: warnings and errors to the other one.
  const written: string[] = [];
  const streams = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text));
      return true;
    }),
  );
  const invocation = onInstance(
    () => ({ world: lab.world, logger, metrics }),
    (_instance, work: () => Promise<unknown>) => work(),
  );
  const api = makeApi(apiRoutes(lab.world, lab.world.registry), lab.world, logger);
  const lines = (): readonly Line[] =>
    written.flatMap((text) => text.split('\n').filter((line) => line.startsWith('{'))).map((line) => JSON.parse(line));
  return {
    lab,
    /** One invocation of a function, with its metrics published at its end. */
    invoke: async <T>(work: () => Promise<T>): Promise<T> => (await invocation(work, context)) as T,
    /** One request of the API's. */
    request: (method: string, path: string, headers: Record<string, string> = {}, body: string | null = null) =>
      lab.actor('api', () =>
        api(
          {
            httpMethod: method,
            path,
            headers,
            body,
            isBase64Encoded: false,
            requestContext: {
              requestId: 'request',
              httpMethod: method,
              path,
              identity: { accountId: '000000000000', caller: 'faults' },
            },
          } as unknown as APIGatewayProxyEvent,
          context,
        ),
      ),
    written: () => written.join(''),
    /** The log lines that are evidence, in their order. */
    evidence: () => lines().filter((line) => (counterNames as readonly unknown[]).includes(line['message'])),
    /** How much was counted under this name, over all that was published. */
    counted: (name: string): number =>
      lines()
        .filter((line) => '_aws' in line && name in line)
        .flatMap((line) => line[name] as number | number[])
        .reduce((sum, n) => sum + n, 0),
    close: () => {
      for (const stream of streams) stream.mockRestore();
      lab.close();
    },
  };
};
