/** @import { Context, View } from './app.js' */
/** @import { JobAnswer } from '../../cli/answers.ts' */
import { api } from './api.js';
import { openBulk } from './bulk-dialog.js';
import { confirm } from './dialog.js';
import { announce, el, freshId, put, sinceTime } from './dom.js';
import { counted, jsonText, moment, plain, tone } from './format.js';
import { repeat } from './poll.js';
import { isAbort, problemBox } from './problem.js';
import { timeline } from './timeline.js';

const inFlight = ['queued', 'running', 'retrying'];

/**
 * One job, followed while anything may happen to it.
 * @param {Context} context
 * @param {string} id
 * @returns {View}
 */
export const jobView = ({ feed, signal }, id) => {
  const trouble = el('div');
  const facts = el('div');
  const history = el('div');
  /** @type {JobAnswer | undefined} */
  let job;

  const load = async () => {
    try {
      draw(await api.get(`/operator/jobs/${id}`, {}, signal));
      if (trouble.dataset['of'] === 'load') put(trouble);
    } catch (error) {
      if (isAbort(error) || (trouble.dataset['of'] === 'load' && trouble.childElementCount > 0)) return;
      tell(error, 'load');
    }
  };
  /**
   * @param {unknown} error
   * @param {string} of
   */
  const tell = (error, of) => {
    trouble.dataset['of'] = of;
    put(trouble, problemBox(error));
  };
  let shown = '';
  /** @param {JobAnswer} found */
  const draw = (found) => {
    if (job !== undefined && job.state !== found.state) announce(`The job is ${plain(found.state)}.`);
    job = found;
    offer(found);
    const text = JSON.stringify(found);
    // What has not changed is left alone: someone may be selecting the id.
    if (text === shown) return;
    shown = text;
    put(facts, factList(found));
    put(history, timeline(found));
  };

  const cancel = el('button', { type: 'button', class: 'danger', hidden: true }, 'Cancel job…');
  cancel.addEventListener('click', async () => {
    const text =
      'What waits is cancelled at once; what runs ends at its next checkpoint, or after it has done its work.';
    if (!(await confirm({ title: 'Cancel this job?', text, action: 'Cancel job', danger: true }))) return;
    try {
      draw(await api.post(`/operator/jobs/${id}/cancel`));
    } catch (error) {
      tell(error, 'cancel');
    }
  });
  /** @param {'redrive' | 'discard'} verb */
  const bulk = (verb) => async () => {
    const acted = await openBulk({ verb, which: { ids: [id] }, what: 'this job', expected: 1 });
    if (acted) await Promise.all([load(), feed.look()]);
  };
  const redrive = el(
    'button',
    { type: 'button', class: 'primary', hidden: true, onclick: bulk('redrive') },
    'Redrive…',
  );
  const discard = el('button', { type: 'button', class: 'danger', hidden: true, onclick: bulk('discard') }, 'Discard…');
  /** @param {JobAnswer} found */
  const offer = ({ state }) => {
    cancel.hidden = !inFlight.includes(state);
    redrive.hidden = state !== 'dead';
    discard.hidden = state !== 'dead';
  };

  void repeat(load, signal);
  return {
    title: `Job ${id.slice(0, 12)}…`,
    content: [
      el('p', {}, el('a', { href: '#/jobs' }, '← All jobs')),
      el('div', { class: 'actions' }, redrive, discard, cancel),
      trouble,
      el('div', { class: 'columns' }, section('Facts', facts), section('History', history)),
      content(id),
    ],
  };
};

/**
 * @param {string} title
 * @param {...HTMLElement} body
 */
const section = (title, ...body) => {
  const id = freshId();
  return el('section', { class: 'panel', 'aria-labelledby': id }, el('h2', { id }, title), ...body);
};

/** @param {JobAnswer} job */
const factList = (job) => {
  const { reason, progress } = job;
  const marks = [job.cancelRequested && 'cancel requested', job.stale && 'stale: no progress for long'].filter(Boolean);
  /** @param {string | undefined} iso */
  const when = (iso) => iso && el('span', {}, moment(iso), ' (', sinceTime(iso), ')');
  /** @type {readonly (readonly [string, Node | string | number | undefined | false])[]} */
  const rows = [
    ['State', el('span', { class: `badge ${tone(job.state)}` }, plain(job.state))],
    ['Remarks', marks.length > 0 && marks.join(', ')],
    ['Reason', reason && el('span', {}, el('code', {}, plain(reason.code)), ` ${plain(reason.message)}`)],
    ['Progress', progress && `${progress.done} of ${progress.total} ${plain(progress.note)}`],
    ['Id', el('code', {}, plain(job.id))],
    ['Type', plain(job.type)],
    ['Key', el('bdi', {}, plain(job.key))],
    ['Tenant', el('bdi', {}, plain(job.tenant))],
    ['Attempt', `${job.attempt} of ${job.attemptsMax} since the last redrive`],
    ['In all', `${counted(job.starts, 'start')}, ${counted(job.redrives, 'redrive')}`],
    ['Submitted', when(job.submittedAt)],
    ['Updated', when(job.updatedAt)],
    ['Next attempt', when(job.nextAttemptAt)],
    ['Deadline', when(job.deadlineAt)],
  ];
  return el('dl', {}, ...rows.flatMap(([name, value]) => (value ? [el('dt', {}, name), el('dd', {}, value)] : [])));
};

/**
 * Payload and result, which are fetched only when they are asked for, and forgotten when they are hidden.
 * @param {string} id
 */
const content = (id) => {
  const place = el('div', { id: freshId() });
  const button = el(
    'button',
    { type: 'button', 'aria-expanded': 'false', 'aria-controls': place.id },
    'Show payload and result',
  );
  let isShown = false;
  button.addEventListener('click', async () => {
    isShown = !isShown;
    button.setAttribute('aria-expanded', String(isShown));
    button.textContent = isShown ? 'Hide payload and result' : 'Show payload and result';
    put(place);
    if (!isShown) return;
    try {
      /** @type {JobAnswer} */
      const job = await api.get(`/operator/jobs/${id}`, { content: 'true' });
      if (!isShown) return;
      put(
        place,
        el('h3', {}, 'Payload'),
        el('pre', { tabindex: 0, 'aria-label': 'Payload' }, jsonText(job.payload)),
        job.result !== undefined && el('h3', {}, 'Result'),
        job.result !== undefined && el('pre', { tabindex: 0, 'aria-label': 'Result' }, jsonText(job.result)),
      );
    } catch (error) {
      put(place, problemBox(error));
    }
  });
  return section(
    'Payload and result',
    el('p', { class: 'muted' }, 'They may be private, so they are fetched only when you ask.'),
    button,
    place,
  );
};
