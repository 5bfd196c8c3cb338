import type { IncomingMessage, ServerResponse } from 'node:http';
import { Failure } from '../cli/exit.ts';
import { type Answer, NoAnswerError } from '../client.ts';
import { type ConsoleProblem, send, sendProblem } from './answer.ts';
import { routes } from './routes.ts';

/** The API, called with the operator's credentials, which stay on this side. */
export type Upstream = (method: 'GET' | 'POST', path: `/${string}`, body?: unknown) => Promise<Answer>;

/** 100 ids and a cursor are the largest that the page sends: about 5 KB. */
const bodyBytesMax = 32_768;

/** A request that must not be passed on, with the answer to it. */
class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly problem: ConsoleProblem;
  constructor(problem: ConsoleProblem) {
    super(problem.code);
    this.problem = problem;
  }
}

/** Passes a call on if it is on the list of routes; `path` is what follows `/api`, `search` the query as it came. */
export const proxy = async (
  upstream: Upstream,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  search: string,
  report: (error: unknown) => void,
): Promise<void> => {
  try {
    const { method, query } = routeOf(request.method ?? '', path, search);
    const body = method === 'POST' ? await readJson(request) : undefined;
    const isWhole = query.get('content') === 'true';
    query.delete('content');
    const target: `/${string}` = `${path as `/${string}`}${query.size === 0 ? '' : `?${query}`}`;
    pass(response, await upstream(method, target, body), isWhole);
  } catch (error) {
    const problem = problemOf(error);
    if (problem === undefined) report(error);
    if (response.headersSent || response.destroyed) return;
    sendProblem(
      response,
      problem ?? { status: 500, code: 'internal', detail: 'The console failed; see its terminal.' },
    );
  }
};

const routeOf = (method: string, path: string, search: string): { method: 'GET' | 'POST'; query: URLSearchParams } => {
  const onPath = routes.filter((route) => route.path.test(path));
  if (onPath.length === 0) {
    throw new Refusal({ status: 404, code: 'route-not-found', detail: 'The console does not pass this call on.' });
  }
  const route = onPath.find((one) => one.method === method);
  if (route === undefined) {
    const allow = onPath.map((one) => one.method).join(', ');
    throw new Refusal({
      status: 405,
      code: 'method-not-allowed',
      detail: `This path takes ${allow}.`,
      headers: { allow },
    });
  }
  const query = new URLSearchParams(search);
  const odd = [...query.keys()].find((name) => !route.query.includes(name));
  if (odd !== undefined) {
    throw new Refusal({ status: 400, code: 'invalid-request', detail: 'The query has a name that is not known here.' });
  }
  return { method: route.method, query };
};

const readJson = async (request: IncomingMessage): Promise<unknown> => {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '')) {
    throw new Refusal({ status: 415, code: 'unsupported-media-type', detail: 'The body must be JSON.' });
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) {
      const detail = `The body is over ${bodyBytesMax} bytes.`;
      // The rest of the body is not read, so the connection cannot be used again.
      throw new Refusal({ status: 413, code: 'payload-too-large', detail, headers: { connection: 'close' } });
    }
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
  } catch {
    throw new Refusal({ status: 400, code: 'invalid-request', detail: 'The body is not JSON.' });
  }
};

const pass = (response: ServerResponse, { status, headers, body }: Answer, isWhole: boolean): void => {
  const retryAfter = headers.get('retry-after');
  send(
    response,
    status,
    status < 400 ? 'application/json' : 'application/problem+json',
    JSON.stringify(isWhole ? (body ?? null) : withoutContent(body)),
    retryAfter === null ? {} : { 'retry-after': retryAfter },
  );
};

/** Payloads and results may be private: they reach the page only when a person has asked for that one job's. */
const withoutContent = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null) return null;
  const { payload: _payload, result: _result, ...rest } = body as Record<string, unknown>;
  const { jobs } = rest;
  return Array.isArray(jobs) ? { ...rest, jobs: jobs.map(withoutContent) } : rest;
};

const problemOf = (error: unknown): ConsoleProblem | undefined => {
  if (error instanceof Refusal) return error.problem;
  if (error instanceof NoAnswerError) return { status: 502, code: 'no-answer', detail: error.message };
  if (error instanceof Failure) return { status: 502, code: 'no-answer', detail: error.message, fix: error.fix };
  return undefined;
};
