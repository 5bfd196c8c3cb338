/** @import { StatusFeed } from './poll.js' */
/** @import { StatusAnswer } from '../../cli/answers.ts' */
import { el, freshId, put, say } from './dom.js';
import { count, counted } from './format.js';

/** The API counts the dead up to this many. */
const deadCountMax = 10_000;

/**
 * The numbers that tell whether all is well: slots, backlog, dead.
 * @param {StatusFeed} feed
 * @param {AbortSignal} signal
 */
export const gauges = (feed, signal) => {
  const slots = gauge('Slots');
  const fill = el('div', { class: 'fill' });
  const meter = el('div', { class: 'meter', role: 'meter', 'aria-label': 'Slots taken', 'aria-valuemin': 0 }, fill);
  slots.body.append(meter, slots.note);
  const backlog = gauge('Backlog');
  backlog.body.append(backlog.note);
  const dead = gauge('Dead');
  dead.body.append(dead.note);
  feed.listen(({ looks }) => {
    const status = looks.at(-1)?.status;
    if (status === undefined) return;
    drawSlots(slots, status);
    drawMeter(meter, fill, status);
    drawBacklog(backlog, status);
    drawDead(dead, status.dead);
  }, signal);
  return el('section', { class: 'cards gauges', 'aria-label': 'Gauges' }, slots.card, backlog.card, dead.card);
};

/**
 * @typedef {object} Gauge
 * @property {HTMLElement} card
 * @property {HTMLElement} body
 * @property {HTMLElement} value
 * @property {HTMLElement} of
 * @property {HTMLElement} note
 */

/**
 * @param {string} title
 * @returns {Gauge}
 */
const gauge = (title) => {
  const id = freshId();
  const value = el('span', { class: 'value' }, '–');
  const of = el('span', { class: 'muted' });
  const body = el('div', {}, el('p', { class: 'reading' }, value, ' ', of));
  const card = el('article', { class: 'card', 'aria-labelledby': id }, el('h2', { id }, title), body);
  return { card, body, value, of, note: el('p', { class: 'note' }) };
};

/**
 * @param {Gauge} gauge
 * @param {StatusAnswer} status
 */
const drawSlots = ({ card, value, of, note }, { inFlight, capacity }) => {
  const { total, queued, running, retrying } = inFlight;
  say(value, count(total));
  say(of, `of ${count(capacity)} taken`);
  card.classList.toggle('bad', total >= capacity);
  const split =
    queued === null
      ? 'Too many in flight to tell them apart'
      : `${count(queued)} queued, ${count(running ?? 0)} running, ${count(retrying ?? 0)} retrying`;
  say(note, total >= capacity ? `Full: nothing more is let in. ${split}` : split);
};

/**
 * @param {HTMLElement} meter
 * @param {HTMLElement} fill
 * @param {StatusAnswer} status
 */
const drawMeter = (meter, fill, { inFlight: { total }, capacity }) => {
  meter.setAttribute('aria-valuemax', String(capacity));
  meter.setAttribute('aria-valuenow', String(Math.min(total, capacity)));
  meter.setAttribute('aria-valuetext', `${count(total)} of ${count(capacity)}`);
  // Set through the object model, which the content security policy allows, unlike a style in the markup.
  fill.style.inlineSize = `${Math.min(100, (100 * total) / capacity)}%`;
};

/**
 * @param {Gauge} gauge
 * @param {StatusAnswer} status
 */
const drawBacklog = ({ card, value, of, note }, { backlog: { visible, notVisible, delayed }, capacity }) => {
  const messages = visible + notVisible + delayed;
  say(value, count(messages));
  say(of, messages === 1 ? 'message' : 'messages');
  card.classList.toggle('warn', messages > capacity);
  const split = `${count(visible)} visible, ${count(notVisible)} being worked on, ${count(delayed)} delayed`;
  say(note, messages > capacity ? `More messages than capacity: submissions are refused. ${split}` : split);
};

/**
 * @param {Gauge} gauge
 * @param {number} dead
 */
const drawDead = ({ card, value, of, note }, dead) => {
  const isCapped = dead >= deadCountMax;
  if (value.textContent === count(dead)) return;
  say(value, count(dead));
  say(of, isCapped ? 'or more' : '');
  card.classList.toggle('bad', dead > 0);
  if (dead === 0) put(note, 'Nothing waits for a decision');
  else put(note, el('a', { href: '#/dead' }, `Look at ${counted(dead, 'entry', 'entries')}`));
};
