/** @import { Context, View } from './app.js' */
/** @import { JobAnswer } from '../../cli/answers.ts' */
import { api } from './api.js';
import { controls } from './controls.js';
import { el, freshId, put, say } from './dom.js';
import { clock, count } from './format.js';
import { gauges } from './gauges.js';
import { plot } from './plot.js';
import { repeat } from './poll.js';
import { binMs, kinds, RecentEvents, windowMs } from './rates.js';

/** Kept while the page is open, so that the plot is full when one comes back to it. */
const recent = new RecentEvents();
/** A look at the lists costs at most so many calls. */
const pagesMax = 5;

/** @type {Readonly<Record<(typeof kinds)[number], { name: string, tone: string }>>} */
const looks = {
  accept: { name: 'accepted', tone: 'blue' },
  succeed: { name: 'succeeded', tone: 'green' },
  retry: { name: 'retried', tone: 'amber' },
  dead: { name: 'died', tone: 'red' },
};

/**
 * @param {Context} context
 * @returns {View}
 */
export const overviewView = ({ feed, signal }) => ({
  title: 'Overview',
  content: [
    gauges(feed, signal),
    controls(feed, signal),
    el('div', { class: 'halves' }, ratesPanel(signal), loadPanel(feed, signal)),
  ],
});

/**
 * @param {string} title
 * @param {...HTMLElement} content
 */
const panel = (title, ...content) => {
  const id = freshId();
  return el('section', { class: 'panel', 'aria-labelledby': id }, el('h2', { id }, title), ...content);
};

/** @param {AbortSignal} signal */
const ratesPanel = (signal) => {
  const { element, draw } = plot(`What happened to the newest jobs, in stretches of ${binMs / 1000} seconds`);
  const note = el('p', { class: 'muted' });
  const rows = el('tbody');
  const numbers = el(
    'details',
    {},
    el('summary', {}, 'The same in numbers'),
    el(
      'table',
      {},
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          ...['From', ...kinds.map((kind) => looks[kind].name)].map((name) => el('th', { scope: 'col' }, name)),
        ),
      ),
      rows,
    ),
  );
  void repeat(async () => {
    try {
      await lookAtJobs(signal);
    } catch {
      // The status meets the same trouble and tells it; the plot keeps what it has.
    }
    if (signal.aborted) return;
    const now = Date.now();
    const { starts, counts } = recent.bins(now);
    const lastMinute = recent.totals(now, 60_000);
    const lines = kinds.map((kind) => ({ ...looks[kind], kind, values: counts[kind] }));
    const to = (starts.at(-1) ?? now) + binMs;
    draw({ times: starts.map((start) => start + binMs), lines, from: to - windowMs, to }, ({ name }) => {
      const kind = kinds.find((one) => looks[one].name === name) ?? 'accept';
      return `${name}: ${count(lastMinute[kind])} in the last minute`;
    });
    say(note, noteText(now));
    if (numbers.open) {
      put(
        rows,
        ...starts
          .map((start, i) =>
            el(
              'tr',
              {},
              el('th', { scope: 'row' }, clock(new Date(start).toISOString())),
              ...kinds.map((kind) => el('td', {}, count(counts[kind][i] ?? 0))),
            ),
          )
          .reverse(),
      );
    }
  }, signal);
  return panel(`Jobs in each ${binMs / 1000} s`, element, note, numbers);
};

/** @param {number} now */
const noteText = (now) =>
  recent.isComplete(now)
    ? 'Counted from the histories of the newest jobs.'
    : `Counted from the histories of the newest jobs; before ${clock(new Date(recent.completeSince).toISOString())} some are missing.`;

/** @param {AbortSignal} signal */
const lookAtJobs = async (signal) => {
  const now = Date.now();
  /** @type {JobAnswer[]} */
  const jobs = [];
  /** @type {string | undefined} */
  let cursor;
  for (let pages = 0; pages < pagesMax; pages++) {
    /** @type {{ jobs: readonly JobAnswer[], cursor?: string }} */
    const page = await api.get('/operator/jobs', { limit: 100, cursor }, signal);
    jobs.push(...page.jobs);
    cursor = page.cursor;
    if (cursor === undefined || !recent.wantsMore(jobs, now)) break;
  }
  recent.add(jobs, cursor !== undefined, now);
};

/**
 * @param {Context['feed']} feed
 * @param {AbortSignal} signal
 */
const loadPanel = (feed, signal) => {
  const { element, draw } = plot('Slots taken, messages and dead jobs over the last minutes');
  feed.listen(({ looks: seen }) => {
    const now = Date.now();
    const lines = [
      { name: 'slots taken', tone: 'blue', values: seen.map(({ status }) => status.inFlight.total) },
      {
        name: 'messages',
        tone: 'amber',
        values: seen.map(({ status: { backlog } }) => backlog.visible + backlog.notVisible + backlog.delayed),
      },
      { name: 'dead', tone: 'red', values: seen.map(({ status }) => status.dead) },
    ];
    draw(
      { times: seen.map(({ at }) => at), lines, from: now - windowMs, to: now },
      ({ name, values }) => `${name}: ${count(values.at(-1) ?? 0)}`,
    );
  }, signal);
  return panel('Load, since this page was opened', element);
};
