/** @import { ProblemAnswer } from '../../cli/answers.ts' */

/** The API, or the console before it, did not do what it was asked. */
export class ApiProblem extends Error {
  /**
   * @param {number} status 0: no answer came
   * @param {Partial<ProblemAnswer> & { title?: string, fix?: string }} body
   * @param {number | undefined} retryAfterSeconds
   */
  constructor(status, body, retryAfterSeconds = undefined) {
    super(typeof body.detail === 'string' ? body.detail : `The answer was ${status}.`);
    this.name = 'ApiProblem';
    this.status = status;
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

const tokenKey = 'sluice-token';
/** Above what the console itself waits for the API. */
const timeoutMs = 40_000;

/**
 * The token comes in the fragment of the address and is taken out of it at once, so that it is neither in the history
 * nor on a screenshot. It stays with this tab, for a reload.
 */
const takeToken = () => {
  const given = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (given !== undefined) {
    sessionStorage.setItem(tokenKey, given);
    history.replaceState(null, '', '#/overview');
  }
  return sessionStorage.getItem(tokenKey) ?? '';
};

const token = takeToken();

/**
 * One call. Resolves to the body, throws `ApiProblem`.
 * @template T
 * @param {'GET' | 'POST'} method
 * @param {string} path
 * @param {unknown} [body]
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
const call = async (method, path, body = undefined, signal = undefined) => {
  const timeout = AbortSignal.timeout(timeoutMs);
  /** @type {Response} */
  let response;
  /** @type {unknown} */
  let answer;
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: { 'x-sluice-token': token, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      cache: 'no-store',
      redirect: 'error',
    });
    answer = await response.json();
  } catch (error) {
    if (signal?.aborted) throw error;
    const detail = timeout.aborted
      ? `No answer in ${timeoutMs / 1000} s.`
      : 'The console does not answer: it was ended, or this machine slept. Start it again with sluice console.';
    throw new ApiProblem(0, { title: 'No answer', code: 'console-gone', detail });
  }
  if (response.ok) return /** @type {T} */ (answer);
  const problem = typeof answer === 'object' && answer !== null ? answer : {};
  throw new ApiProblem(response.status, problem, Number(response.headers.get('retry-after')) || undefined);
};

/**
 * A query of what is defined and not empty.
 * @param {Readonly<Record<string, string | number | undefined>>} parts
 */
const query = (parts) => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parts))
    if (value !== undefined && value !== '') search.set(name, `${value}`);
  return search.size === 0 ? '' : `?${search}`;
};

export const api = {
  /**
   * @template T
   * @param {string} path
   * @param {Readonly<Record<string, string | number | undefined>>} [parts]
   * @param {AbortSignal} [signal]
   * @returns {Promise<T>}
   */
  get: (path, parts = {}, signal = undefined) => call('GET', `${path}${query(parts)}`, undefined, signal),
  /**
   * @template T
   * @param {string} path
   * @param {unknown} [body]
   * @returns {Promise<T>}
   */
  post: (path, body = {}) => call('POST', path, body),
};
