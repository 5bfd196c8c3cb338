import { ApiProblem } from './api.js';
import { el } from './dom.js';
import { plain } from './format.js';

/** @type {Readonly<Record<string, string>>} */
const advice = {
  forbidden: 'These credentials may not do this: operators need execute-api:Invoke on operator*.',
  'caller-unknown': 'These credentials belong to nobody there. Run sluice doctor.',
  'job-not-found': 'A final record is kept for its retention, then it is gone.',
  'not-in-flight': 'It has ended in the meantime. There is nothing to cancel.',
  'rate-limited': 'The gateway holds callers back. Try again in a moment.',
  unavailable: 'A service behind the API did not answer. What the call did is unknown; it may be repeated.',
  'no-answer': 'What the call did is unknown; it may be repeated. Run sluice doctor to find out more.',
  'wrong-token': 'The console was started again, or this address was copied without its end.',
};

/**
 * A refusal in words, as an alert: what, why, which field, what helps, and what to quote when asking for help.
 * @param {unknown} error
 * @param {HTMLElement} [button]
 */
export const problemBox = (error, button) => {
  if (!(error instanceof ApiProblem)) {
    return el('div', { class: 'problem', role: 'alert' }, el('strong', {}, 'The page failed.'), ` ${plain(error)}`);
  }
  const { body, status, retryAfterSeconds } = error;
  const help = body.fix ?? advice[body.code ?? ''];
  return el(
    'div',
    { class: 'problem', role: 'alert' },
    el('strong', {}, plain(body.title ?? 'Refused')),
    ' ',
    el('code', {}, [status || '', plain(body.code)].join(' ').trim()),
    el('p', {}, plain(error.message)),
    body.errors !== undefined &&
      el(
        'ul',
        {},
        ...body.errors.map(({ pointer, detail }) => el('li', {}, el('code', {}, plain(pointer)), ` ${plain(detail)}`)),
      ),
    help !== undefined && el('p', {}, plain(help)),
    retryAfterSeconds !== undefined && el('p', {}, `Try again in ${retryAfterSeconds} s.`),
    body.requestId !== undefined && el('p', { class: 'muted' }, 'Request id ', el('code', {}, plain(body.requestId))),
    button,
  );
};

/** @param {unknown} error */
export const isAbort = (error) => error instanceof DOMException && error.name === 'AbortError';
