/** @import { Context, View } from './app.js' */
/** @import { JobAnswer } from '../../cli/answers.ts' */
import { api } from './api.js';
import { announce, el, put, sinceTime } from './dom.js';
import { filterForm, optionsOf } from './filters.js';
import { counted, moment, plain, tone } from './format.js';
import { repeat } from './poll.js';
import { isAbort, problemBox } from './problem.js';

const states = ['queued', 'running', 'retrying', 'succeeded', 'dead', 'cancelled', 'expired', 'discarded'];
const pageSize = 50;

/** The filters outlive the view, so that one comes back from a job to the list one left. */
const filters = { state: '', type: '', tenant: '' };

/** @typedef {{ readonly jobs: readonly JobAnswer[], readonly cursor?: string }} Page */

/**
 * @param {Context} context
 * @returns {View}
 */
export const jobsView = ({ signal }) => {
  /** The cursors of the pages up to this one; the first page has none. */
  let cursors = /** @type {(string | undefined)[]} */ ([undefined]);
  let shown = '';
  let asked = 0;
  const place = el('div');
  const trouble = el('div');
  const newer = el('button', { type: 'button', onclick: () => turn(-1) }, 'Newer');
  const older = el('button', { type: 'button', onclick: () => turn(1) }, 'Older');
  const where = el('span', { class: 'muted' });
  /** @type {string | undefined} */
  let next;

  const load = async () => {
    const number = ++asked;
    try {
      /** @type {Page} */
      const page = await api.get('/operator/jobs', { ...filters, limit: pageSize, cursor: cursors.at(-1) }, signal);
      // An answer to what was asked before the last change is of no use any more.
      if (number === asked) draw(page);
    } catch (error) {
      if (!isAbort(error) && number === asked) put(trouble, problemBox(error));
    }
  };

  /** @param {Page} page */
  const draw = ({ jobs, cursor }) => {
    put(trouble);
    next = cursor;
    newer.disabled = cursors.length === 1;
    older.disabled = cursor === undefined;
    put(where, `Page ${cursors.length}`);
    const text = JSON.stringify(jobs);
    if (text === shown) return;
    shown = text;
    const focused = document.activeElement?.getAttribute('href');
    put(place, jobs.length > 0 ? jobsTable(jobs) : el('p', { class: 'empty' }, emptyText(cursor)));
    // The list is drawn anew under the focus: it stays on the same job.
    if (focused?.startsWith('#/jobs/')) {
      const same = [...place.querySelectorAll('a')].find((link) => link.getAttribute('href') === focused);
      same?.focus({ preventScroll: true });
    }
  };

  /** @param {1 | -1} by */
  const turn = async (by) => {
    cursors = by === 1 ? [...cursors, next] : cursors.slice(0, -1);
    await load();
    announce(`Page ${cursors.length}`);
  };

  const start = () => {
    cursors = [undefined];
    void load();
  };
  // Further pages stand still while they are read; the first follows what happens.
  void repeat(async () => {
    if (cursors.length === 1) await load();
  }, signal);
  return {
    title: 'Jobs',
    content: [
      filterForm(filters, { label: 'State', name: 'state', options: optionsOf(states) }, start),
      trouble,
      place,
      el('nav', { class: 'pager', 'aria-label': 'Pages' }, newer, where, older),
    ],
  };
};

/** @param {string | undefined} cursor */
const emptyText = (cursor) => {
  if (cursor !== undefined) return 'None on this page; there may be some on the next.';
  return Object.values(filters).some(Boolean) ? 'No job fits these filters.' : 'No job yet.';
};

const columns = ['Job', 'State', 'Type', 'Attempt', 'Submitted', 'Updated', 'Key', 'Tenant'];

/** @param {readonly JobAnswer[]} jobs */
const jobsTable = (jobs) => {
  return el(
    'table',
    { class: 'list' },
    el('caption', { class: 'unseen' }, `${counted(jobs.length, 'job')}, newest first`),
    el('thead', {}, el('tr', {}, ...columns.map((name) => el('th', { scope: 'col' }, name)))),
    el('tbody', {}, ...jobs.map((job) => jobRow(job))),
  );
};

/** @param {JobAnswer} job */
const jobRow = (job) => {
  const cells = [
    el('span', { class: `badge ${tone(job.state)}` }, plain(job.state)),
    plain(job.type),
    `${job.attempt} of ${job.attemptsMax}`,
    el('time', { datetime: job.submittedAt, title: moment(job.submittedAt) }, moment(job.submittedAt)),
    sinceTime(job.updatedAt),
    el('bdi', {}, plain(job.key)),
    el('bdi', {}, plain(job.tenant)),
  ];
  const marks = [job.cancelRequested && 'cancel requested', job.stale && 'stale'].filter(Boolean).join(', ');
  return el(
    'tr',
    {},
    el(
      'th',
      { scope: 'row', 'data-label': 'Job' },
      jobLink(job.id),
      marks !== '' && el('span', { class: 'muted' }, ` ${marks}`),
    ),
    ...cells.map((cell, i) => el('td', { 'data-label': columns[i + 1] }, cell)),
  );
};

/**
 * A link with the beginning of an id, which is enough to tell jobs apart by the eye and by the ear.
 * @param {string} id
 */
export const jobLink = (id) => {
  if (!/^[0-9a-f]{32}$/.test(id)) return el('code', {}, plain(id));
  return el('a', { href: `#/jobs/${id}`, title: id }, el('code', { class: 'cut' }, id.slice(0, 12)));
};
