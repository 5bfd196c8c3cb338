import { Router } from '@aws-lambda-powertools/event-handler/http';
import type { Logger } from '@aws-lambda-powertools/logger';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { framesOf, isServiceFailure } from '#core/failure.ts';
import { claimScope, scopeOf } from '#core/identity.ts';
import { type Problem, unavailable } from '#core/problem.ts';
import type { Clock } from '#functions/ports.ts';
import { ProblemError, problem } from './answer.ts';

/** What a route gets: the caller is known, the strings are as they came. */
export interface Call {
  readonly scope: string;
  readonly requestId: string;
  readonly receivedAt: number;
  readonly remainingMs: () => number;
  /** By lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly query: URLSearchParams;
  readonly body: string | undefined;
  readonly params: Readonly<Record<string, string>>;
}

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  readonly answer: (call: Call) => Promise<APIGatewayProxyResult>;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;

/** A dependency that hangs must not become the gateway's own 504: we answer this long before the function would end. */
const answerReserveMs = 1_000;

/**
 * Powertools' HTTP router with this API's manners: every answer that is not a success is a problem, a known path with
 * another method is 405 with `Allow`, and what a caller sends never becomes a 5xx.
 */
export const makeApi = (
  routes: readonly Route[],
  world: { clock: Clock },
  logger: Logger,
  tenantClaim?: string | undefined,
) => {
  const router = new Router({ logger });
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    for (const route of own) {
      router.route(
        async ({ event, context, params, req }) =>
          route.answer(
            makeCall(
              event as APIGatewayProxyEvent,
              context,
              params,
              new URL(req.url).searchParams,
              world.clock,
              tenantClaim,
            ),
          ),
        { method: route.method, path },
      );
    }
    const allow = own.map((route) => route.method).join(', ');
    const others = methods.filter((method) => !own.some((route) => route.method === method));
    router.route(
      async ({ event }) => problem(methodNotAllowed(allow), requestIdOf(event as APIGatewayProxyEvent), { allow }),
      {
        method: [...others],
        path,
      },
    );
  }
  router.notFound(async (_error, { event }) => problem(routeNotFound, requestIdOf(event as APIGatewayProxyEvent)));
  router.errorHandler(Error, async (error, { event }) =>
    answerError(error, requestIdOf(event as APIGatewayProxyEvent), logger),
  );

  return async (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
    const clean = cleaned(event);
    const requestId = requestIdOf(event);
    if (clean === undefined) return problem(routeNotFound, requestId);
    if (!methods.some((method) => method === clean.httpMethod))
      return problem(methodNotAllowed('GET, POST'), requestId);
    const answered = new AbortController();
    try {
      const late = world.clock
        .wait(context.getRemainingTimeInMillis() - answerReserveMs, answered.signal)
        .then(() => problem(unavailable, requestId));
      return await Promise.race([router.resolve(clean, context) as Promise<APIGatewayProxyResult>, late]);
    } catch (error) {
      return answerError(error, requestId, logger);
    } finally {
      // Else each request would leave a timer behind that holds it in memory for as long as the function may run.
      answered.abort();
    }
  };
};

const routeNotFound: Problem = { code: 'route-not-found', detail: 'This API has no such path.' };
const methodNotAllowed = (allow: string): Problem => ({
  code: 'method-not-allowed',
  detail: `This path takes ${allow}.`,
});

const requestIdOf = (event: APIGatewayProxyEvent): string => event.requestContext?.requestId ?? 'unknown';

const makeCall = (
  event: APIGatewayProxyEvent,
  context: Context,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
  clock: Clock,
  tenantClaim: string | undefined,
): Call => {
  const scope = callerOf(event, tenantClaim);
  if (scope === undefined) {
    throw new ProblemError({
      code: 'caller-unknown',
      detail: 'Sign the request with AWS Signature Version 4, so that the caller has an identity.',
    });
  }
  const headers = new Map(Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    scope,
    requestId: requestIdOf(event),
    receivedAt: clock.now(),
    remainingMs: () => context.getRemainingTimeInMillis() - answerReserveMs,
    header: (name) => headers.get(name),
    query,
    body: event.body ?? undefined,
    params,
  };
};

/** The caller by its IAM identity, or by the claim that the stage names. */
const callerOf = (event: APIGatewayProxyEvent, tenantClaim: string | undefined): string | undefined => {
  const { identity, authorizer } = event.requestContext;
  if (tenantClaim === undefined) return scopeOf(identity ?? {});
  const claims = authorizer?.['claims'] as Record<string, unknown> | undefined;
  return claimScope(claims?.[tenantClaim] ?? authorizer?.[tenantClaim]);
};

/**
 * The event as the router can take it: it builds a web Request, which throws on a body with GET, on header values that
 * are not Latin-1, and takes a path that begins with two slashes for a host. Undefined: no such path can exist here.
 */
const cleaned = (event: APIGatewayProxyEvent): APIGatewayProxyEvent | undefined => {
  const { path } = event;
  if (!/^\/(?!\/)[\x21-\x7e]*$/.test(path) || /[?#\\]/.test(path)) return undefined;
  try {
    decodeURIComponent(path);
  } catch {
    return undefined;
  }
  const printable = (value: string | undefined) => value?.replaceAll(/[^\x20-\x7e]/g, '?');
  const headers = Object.fromEntries(
    Object.entries(event.headers ?? {})
      .filter(([name]) => /^[A-Za-z0-9-]+$/.test(name) && !/^(host|x-forwarded-proto)$/i.test(name))
      .map(([name, value]) => [name, printable(value)]),
  );
  const bodyless = event.httpMethod === 'GET' || event.httpMethod === 'HEAD';
  const body =
    event.body !== null && event.isBase64Encoded ? Buffer.from(event.body, 'base64').toString('utf8') : event.body;
  return {
    ...event,
    headers: { ...headers, host: 'sluice.invalid' },
    multiValueHeaders: {},
    body: bodyless ? null : body,
    isBase64Encoded: false,
  };
};

const answerError = (error: unknown, requestId: string, logger: Logger): APIGatewayProxyResult => {
  if (error instanceof ProblemError) return problem(error.problem, requestId);
  const name = error instanceof Error ? error.name : 'unknown';
  const failed = isServiceFailure(error);
  // The message of an error may quote what a caller sent, so only its name and place are logged.
  logger.error('request failed', {
    code: failed ? 'unavailable' : 'internal',
    error: name,
    stack: framesOf(error),
  });
  return problem(
    failed ? unavailable : { code: 'internal', detail: 'The error was logged under this request id.' },
    requestId,
  );
};
