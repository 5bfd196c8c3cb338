import { problemStatus } from '#core/problem.ts';
import { differences } from '#test/support/openapi/answer.ts';
import type { Answer } from '#test/support/system/client.ts';
import { type Exchange, hangMs, type WireRequest } from './exchange.ts';
import type { Facts } from './facts.ts';

/** What would tell how it is made inside: stack traces, files, services and their errors, names of tables and queues. */
const inside =
  /\bat (async )?\S+ \(|node_modules|index\.mjs|file:\/\/|\/var\/task|\.local\/|TypeError|RangeError|SyntaxError|ValidationException|dynamodb|sqs\.|arn:aws|sluice-local-|ASIA[0-9A-Z]{8}|Traceback/i;

const codes: readonly string[] = Object.keys(problemStatus);

/**
 * The emulator's own web server, before any gateway: a request line or headers too long, or no HTTP at all. API Gateway
 * refuses the same by itself; neither is ours, and neither says anything.
 */
const isWebServersOwn = ({ status, headers, body }: Answer): boolean =>
  [400, 414, 431].includes(status) && headers.get('x-amzn-requestid') === null && (body === undefined || body === '');

const isOperators = (path: string): boolean => /^\/+operator/.test(path);

/** Everything that is wrong with an answer; none: it is as it must be. */
export const faultsIn = (
  wire: WireRequest,
  { answer, milliseconds, failure }: Exchange,
  facts: Facts,
): readonly string[] => {
  if (answer === undefined) return [`no answer after ${Math.round(milliseconds)} ms: ${failure}`];
  const faults: string[] = [];
  if (milliseconds > hangMs) faults.push(`it hung for ${Math.round(milliseconds)} ms`);
  if (isWebServersOwn(answer)) return faults;
  const { status, body } = answer;
  const text = JSON.stringify([...answer.headers, body ?? '']);
  // Closed intake is an answer of the contract and not a failure; everything else above 499 is one.
  if (status >= 500 && body?.code !== 'intake-closed') faults.push(`status ${status}`);
  if (status < 200 || (status > 299 && status < 400)) faults.push(`status ${status}`);
  if (status >= 400) faults.push(...problemFaults(wire, answer));
  const leak = status >= 400 ? inside.exec(text)?.[0] : undefined;
  if (leak !== undefined) faults.push(`it tells of the inside: ${leak}`);
  const mayNotSee = status >= 400 || !isOperators(wire.path);
  const seen = mayNotSee ? facts.markers.find((marker) => text.includes(marker)) : undefined;
  if (seen !== undefined) faults.push('it shows what belongs to another tenant');
  if (wire.call !== undefined) faults.push(...differences(wire.call, answer));
  return faults;
};

const members = ['type', 'title', 'status', 'detail', 'code', 'retryable', 'requestId', 'errors'];

const problemFaults = ({ method }: WireRequest, { status, headers, body }: Answer): readonly string[] => {
  // An answer to HEAD has no body by HTTP's own rule.
  if (method === 'HEAD') return [];
  const type = headers.get('content-type');
  if (type !== 'application/problem+json')
    return [`content type ${type}, not a problem: ${JSON.stringify(body)?.slice(0, 200)}`];
  const faults: string[] = [];
  if (typeof body !== 'object' || body === null) return ['the problem is no object'];
  const strange = Object.keys(body).filter((name) => !members.includes(name));
  if (strange.length > 0) faults.push(`unknown members of a problem: ${strange}`);
  if (body.type !== 'about:blank' || body.status !== status)
    faults.push(`type or status of the problem: ${body.status}`);
  if (!codes.includes(body.code) || problemStatus[body.code as keyof typeof problemStatus] !== status)
    faults.push(`the code ${body.code} does not belong to ${status}`);
  if (body.retryable !== (status === 429 || status === 503)) faults.push('retryable is wrong');
  if (!body.title || !body.detail || !body.requestId) faults.push('a member of the problem is empty');
  if (JSON.stringify(body).length > 8_000) faults.push('the problem is longer than any reader wants');
  return faults;
};
