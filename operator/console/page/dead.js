/** @import { Context, View } from './app.js' */
/** @import { DeadFilter } from './bulk.js' */
/** @import { DeadEntry } from '../../cli/answers.ts' */
import { api } from './api.js';
import { openBulk } from './bulk-dialog.js';
import { deadGroups } from './dead-list.js';
import { announce, el, put, say } from './dom.js';
import { filterForm, optionsOf } from './filters.js';
import { count, counted } from './format.js';
import { isAbort, problemBox } from './problem.js';

const reasons = {
  'dead jobs': [
    'permanent-error',
    'attempts-exhausted',
    'wait-budget-exhausted',
    'worker-lost',
    'never-started',
    'request-unreadable',
  ],
  'stray messages': ['unreadable', 'unknown-version', 'unknown-job', 'forged'],
};

const filters = { reason: '', type: '', tenant: '' };
const pageSize = 100;

/**
 * The dead by reason: select, rehearse, redrive or discard.
 * @param {Context} context
 * @returns {View}
 */
export const deadView = ({ feed, signal }) => {
  /** @type {DeadEntry[]} */
  let entries = [];
  /** @type {string | undefined} */
  let cursor;
  let asked = 0;
  let deadThen = 0;
  const ids = /** @type {Set<string>} */ (new Set());
  const trouble = el('div');
  const groups = el('div', { class: 'groups' });
  const told = el('span', { class: 'muted' });
  const more = el('button', { type: 'button', hidden: true, onclick: () => void load(false) }, 'Load more');
  const changedNote = el('p', { class: 'hint', role: 'status' });

  /** @param {boolean} anew */
  const load = async (anew) => {
    const number = ++asked;
    more.disabled = true;
    try {
      const from = anew ? undefined : cursor;
      /** @type {{ jobs: readonly DeadEntry[], cursor?: string }} */
      const page = await api.get('/operator/dead', { ...filters, limit: pageSize, cursor: from }, signal);
      if (number !== asked) return;
      if (anew) {
        ids.clear();
        entries = [];
      }
      const known = new Set(entries.map(({ id }) => id));
      entries = [...entries, ...page.jobs.filter(({ id }) => !known.has(id))];
      cursor = page.cursor;
      deadThen = feed.status?.dead ?? deadThen;
      put(trouble);
      draw();
      announce(`${counted(entries.length, 'entry', 'entries')} listed`);
    } catch (error) {
      if (!isAbort(error) && number === asked) put(trouble, problemBox(error));
    } finally {
      more.disabled = false;
    }
  };
  const draw = () => {
    more.hidden = cursor === undefined;
    say(changedNote, '');
    if (entries.length > 0) put(groups, ...deadGroups(entries, { ids, changed: showSelection }));
    else put(groups, el('p', { class: 'empty' }, emptyText(cursor)));
    showSelection();
  };

  const scope = scopeChoice(() => showSelection());
  const redrive = el('button', { type: 'button', class: 'primary', onclick: () => act('redrive') }, 'Redrive…');
  const discard = el('button', { type: 'button', class: 'danger', onclick: () => act('discard') }, 'Discard…');
  const showSelection = () => {
    scope.say(ids.size);
    say(told, `${count(entries.length)} listed`);
    const nothing = scope.isAll() ? entries.length === 0 : ids.size === 0;
    redrive.disabled = nothing;
    discard.disabled = nothing;
  };
  /** @param {'redrive' | 'discard'} verb */
  const act = async (verb) => {
    const target = scope.isAll() ? whole(feed.status?.dead) : picked(ids);
    if (!(await openBulk({ verb, ...target }))) return;
    // First the count, so that the list is not taken for an older one.
    await feed.look();
    await load(true);
  };

  feed.listen(({ looks }) => {
    const now = looks.at(-1)?.status.dead ?? deadThen;
    // The list does not change under the hands that select from it.
    say(changedNote, now === deadThen || asked === 0 ? '' : 'The dead have changed since this was listed.');
  }, signal);
  deadThen = feed.status?.dead ?? 0;
  void load(true);
  const reload = el('button', { type: 'button', onclick: () => void load(true) }, 'List again');
  return {
    title: 'Dead',
    content: [
      filterForm(filters, { label: 'Reason', name: 'reason', options: reasonOptions() }, () => void load(true)),
      trouble,
      el('div', { class: 'row' }, reload, told, changedNote),
      groups,
      more,
      el(
        'section',
        { class: 'deed', 'aria-label': 'What to do with them' },
        scope.element,
        el('div', { class: 'actions' }, discard, redrive),
      ),
    ],
  };
};

/** @returns {DeadFilter} */
const currentFilter = () => {
  const { reason, type, tenant } = filters;
  return { ...(reason && { reason }), ...(type && { type }), ...(tenant && { tenant }) };
};

/** @param {number | undefined} dead */
const whole = (dead) => {
  const filter = currentFilter();
  if (Object.keys(filter).length === 0)
    return { which: /** @type {const} */ ({ all: true }), what: 'all that is dead', expected: dead };
  const parts = Object.entries(filter).map(([name, value]) => `${name} ${value}`);
  return { which: { filter }, what: `all with ${parts.join(', ')}`, expected: undefined };
};

/** @param {ReadonlySet<string>} ids */
const picked = (ids) => ({ which: { ids: [...ids] }, what: counted(ids.size, 'entry', 'entries'), expected: ids.size });

/** @param {() => void} onChange */
const scopeChoice = (onChange) => {
  const some = el('input', { type: 'radio', name: 'scope', checked: true, onchange: onChange });
  const all = el('input', { type: 'radio', name: 'scope', onchange: onChange });
  const selected = el('span');
  return {
    isAll: () => all.checked,
    /** @param {number} n */
    say: (n) => say(selected, `the ${count(n)} selected`),
    element: el(
      'fieldset',
      {},
      el('legend', { class: 'unseen' }, 'Which'),
      el('label', {}, some, ' ', selected),
      el('label', {}, all, ' all that fit the filters'),
    ),
  };
};

/** @param {string | undefined} cursor */
const emptyText = (cursor) => {
  if (cursor !== undefined) return 'None so far; there may be more.';
  return Object.values(filters).some(Boolean) ? 'Nothing dead fits these filters.' : 'Nothing is dead.';
};

const reasonOptions = () =>
  Object.entries(reasons).map(([label, names]) => el('optgroup', { label }, ...optionsOf(names)));
