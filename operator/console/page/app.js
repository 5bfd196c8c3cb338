import { api } from './api.js';
import { deadView } from './dead.js';
import { announce, byId, el, put, refreshTimes, say } from './dom.js';
import { count, plain } from './format.js';
import { jobView } from './job.js';
import { jobsView } from './jobs.js';
import { overviewView } from './overview.js';
import { repeat, StatusFeed } from './poll.js';
import { problemBox } from './problem.js';

/**
 * @typedef {object} Context  what a view gets
 * @property {StatusFeed} feed
 * @property {AbortSignal} signal  fires when the view is left
 *
 * @typedef {{ readonly title: string, readonly content: readonly HTMLElement[] }} View
 */

/** @type {readonly { path: RegExp, nav: string, make: (context: Context, id: string) => View }[]} */
const views = [
  { path: /^#\/overview$/, nav: 'overview', make: overviewView },
  { path: /^#\/jobs$/, nav: 'jobs', make: jobsView },
  { path: /^#\/jobs\/([0-9a-f]{32})$/, nav: 'jobs', make: jobView },
  { path: /^#\/dead$/, nav: 'dead', make: deadView },
];

const feed = new StatusFeed();
const main = byId('main');
let leave = new AbortController();

/** @param {boolean} byPerson the first view takes no focus: the page itself has just been opened */
const show = (byPerson) => {
  leave.abort();
  leave = new AbortController();
  const view = views.find(({ path }) => path.test(location.hash)) ?? views[0];
  if (view === undefined) return;
  const { title, content } = view.make({ feed, signal: leave.signal }, view.path.exec(location.hash)?.[1] ?? '');
  const heading = el('h1', { tabindex: -1 }, title);
  put(main, heading, ...content);
  document.title = `${title} · Sluice`;
  for (const link of document.querySelectorAll('nav a')) {
    if (link.getAttribute('data-view') === view.nav) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  window.scrollTo(0, 0);
  if (byPerson) heading.focus();
};

const showAbout = async () => {
  try {
    const { apiUrl, source, region } = await api.get('/about');
    say(byId('about'), `${plain(source)} · ${plain(region)} · ${plain(apiUrl)}`);
  } catch {
    // The status meets the same trouble and tells it.
  }
};

let wasLost = false;
const showFreshness = () =>
  feed.listen(({ looks, error }) => {
    refreshTimes();
    const last = looks.at(-1);
    const dead = last?.status.dead ?? 0;
    byId('dead-count').hidden = dead === 0;
    say(byId('dead-count'), count(dead));
    if (last !== undefined) say(byId('freshness'), `· as of ${new Date(last.at).toLocaleTimeString('en-GB')}`);
    document.body.classList.toggle('stale', error !== undefined);
    const isLost = error !== undefined;
    // An alert that is drawn anew every two seconds would be read out every two seconds.
    if (isLost !== wasLost) put(byId('lost'), isLost && problemBox(error));
    if (wasLost && !isLost) announce('The API answers again.');
    wasLost = isLost;
  }, new AbortController().signal);

window.addEventListener('hashchange', () => show(true));
byId('skip').addEventListener('click', (event) => {
  // The fragment names the view, so the link may not change it.
  event.preventDefault();
  main.focus();
});
showFreshness();
void showAbout();
show(false);
void repeat(() => feed.look(), new AbortController().signal);
