/** @import { DeadEntry, JobAnswer } from '../../cli/answers.ts' */
import { el, freshId, sinceTime } from './dom.js';
import { count, plain } from './format.js';
import { jobLink } from './jobs.js';

/** @type {Readonly<Record<string, string>>} */
const meanings = {
  'permanent-error': 'The handler said that trying again is of no use. Mend handler or data before a redrive.',
  'attempts-exhausted': 'Each start failed in a way that may pass. Mend what it calls, then redrive.',
  'wait-budget-exhausted': 'The next wait would have gone over its budget. Mend what it calls, then redrive.',
  'worker-lost': 'The worker ended during the last attempt: memory, time or a crash. Mend the cause first.',
  'never-started': 'Its message came back five times without a start. Look for throttles of the consumer.',
  'request-unreadable': 'The stored request does not fit its handler. Deploy one that takes it, then redrive.',
  unreadable: 'A message that is none of ours. Find out who sends to the queue.',
  'unknown-version': 'A message of another version: a deployment that was rolled back, or a foreign sender.',
  'unknown-job': 'A message without a record: it has expired, or it belongs to another stage.',
  forged: 'Id and fingerprint do not fit. Call whoever looks after security.',
};

/** @param {DeadEntry} entry */
const reasonOf = (entry) => (isStray(entry) ? entry.reason : (entry.reason?.code ?? 'unknown'));

/**
 * @param {DeadEntry} entry
 * @returns {entry is Extract<DeadEntry, { stray: true }>}
 */
const isStray = (entry) => 'stray' in entry;

/**
 * The entries by their reason, the largest group first; within a group as they came.
 * @param {readonly DeadEntry[]} entries
 */
const groupByReason = (entries) => {
  /** @type {Map<string, DeadEntry[]>} */
  const groups = new Map();
  for (const entry of entries) {
    const reason = reasonOf(entry);
    const group = groups.get(reason);
    if (group === undefined) groups.set(reason, [entry]);
    else group.push(entry);
  }
  return [...groups].sort(([, a], [, b]) => b.length - a.length);
};

/**
 * @typedef {object} Selection  the ids that are ticked, and who wants to know when they change
 * @property {Set<string>} ids
 * @property {() => void} changed
 */

/**
 * The dead as one section a reason, each entry with a box to tick, and one for the whole group.
 * @param {readonly DeadEntry[]} entries
 * @param {Selection} selection
 */
export const deadGroups = (entries, selection) =>
  groupByReason(entries).map(([reason, group]) => deadGroup(reason, group, selection));

/**
 * @param {string} reason
 * @param {readonly DeadEntry[]} group
 * @param {Selection} selection
 */
const deadGroup = (reason, group, { ids, changed }) => {
  const id = freshId();
  const all = el('input', { type: 'checkbox', 'aria-label': `Select all listed with ${plain(reason)}` });
  const boxes = group.map((entry) =>
    el('input', {
      type: 'checkbox',
      value: entry.id,
      'aria-label': `Select ${plain(entry.id)}`,
      checked: ids.has(entry.id),
    }),
  );
  const showAll = () => {
    const ticked = boxes.filter((box) => box.checked).length;
    all.checked = ticked === boxes.length;
    all.indeterminate = ticked > 0 && ticked < boxes.length;
  };
  const read = () => {
    for (const box of boxes) {
      if (box.checked) ids.add(box.value);
      else ids.delete(box.value);
    }
    showAll();
    changed();
  };
  all.addEventListener('change', () => {
    for (const box of boxes) box.checked = all.checked;
    read();
  });
  for (const box of boxes) box.addEventListener('change', read);
  showAll();
  return el(
    'section',
    { class: 'panel', 'aria-labelledby': id },
    el('h2', { id }, plain(reason), ' ', el('span', { class: 'count' }, count(group.length))),
    el('p', { class: 'muted' }, meanings[reason] ?? ''),
    el(
      'table',
      { class: 'list' },
      el(
        'thead',
        {},
        el('tr', {}, el('th', { scope: 'col' }, all), ...columns.map((name) => el('th', { scope: 'col' }, name))),
      ),
      el('tbody', {}, ...group.map((entry, i) => deadRow(entry, boxes[i]))),
    ),
    // On a phone the head of the table is not shown, and the box in it neither.
    el('button', { type: 'button', class: 'only-narrow', onclick: () => all.click() }, 'Select all or none'),
  );
};

const columns = ['Entry', 'Type', 'Message', 'Since', 'Redrives'];

/**
 * @param {DeadEntry} entry
 * @param {HTMLInputElement | undefined} box
 */
const deadRow = (entry, box) => {
  const at = isStray(entry) ? entry.receivedAt : entry.updatedAt;
  return el(
    'tr',
    {},
    el('td', { class: 'tick' }, box),
    el(
      'th',
      { scope: 'row', 'data-label': 'Entry' },
      isStray(entry) ? el('code', {}, plain(entry.id)) : jobLink(entry.id),
    ),
    el('td', { 'data-label': 'Type' }, isStray(entry) ? 'stray message' : plain(entry.type)),
    el('td', { 'data-label': 'Message', class: 'message' }, isStray(entry) ? '–' : messageOf(entry)),
    el('td', { 'data-label': 'Since' }, sinceTime(at)),
    el('td', { 'data-label': 'Redrives' }, isStray(entry) ? '–' : entry.redrives),
  );
};

/** @param {JobAnswer} job */
const messageOf = ({ reason }) => el('bdi', {}, plain(reason?.message));
