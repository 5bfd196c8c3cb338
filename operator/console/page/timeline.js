/** @import { JobAnswer } from '../../cli/answers.ts' */
import { el } from './dom.js';
import { moment, plain, span } from './format.js';

/** @type {Readonly<Record<string, string>>} */
const tones = { succeed: 'good', retry: 'warn', recover: 'warn', expire: 'warn', stale: 'warn', dead: 'bad' };

/** @type {Readonly<Record<string, string>>} */
const words = {
  accept: 'accepted',
  start: 'started',
  retry: 'failed, will be retried',
  recover: 'worker lost, recovered',
  succeed: 'succeeded',
  dead: 'died',
  'cancel-request': 'cancel requested',
  cancel: 'cancelled',
  expire: 'expired',
  redrive: 'redriven',
  discard: 'discarded',
  resend: 'message sent again',
  stale: 'no progress for long',
};

/**
 * The history of a job, each event with the time since the one before it.
 * @param {Pick<JobAnswer, 'history'>} job
 */
export const timeline = ({ history }) =>
  el(
    'ol',
    { class: 'timeline' },
    ...history.map(({ at, event, attempt, detail }, i) => {
      const before = history[i - 1];
      const gap = before === undefined ? Number.NaN : Date.parse(at) - Date.parse(before.at);
      return el(
        'li',
        { class: tones[event] ?? 'calm' },
        el('strong', {}, words[event] ?? plain(event)),
        attempt !== undefined && ` · attempt ${attempt}`,
        el('div', { class: 'muted' }, el('time', { datetime: at }, moment(at)), gap >= 0 && ` · ${span(gap)} later`),
        detail !== undefined && el('div', { class: 'detail' }, detailText(detail)),
      );
    }),
  );

/** @param {Readonly<Record<string, unknown>>} detail */
const detailText = (detail) =>
  Object.entries(detail)
    .map(([name, value]) => `${plain(name)}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join(', ');
