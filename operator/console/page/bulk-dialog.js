/** @import { BulkAnswer } from '../../cli/answers.ts' */
/** @import { Totals, Which } from './bulk.js' */
import { api } from './api.js';
import { workThrough } from './bulk.js';
import { openDialog } from './dialog.js';
import { el, field, put } from './dom.js';
import { count, counted, plain } from './format.js';
import { problemBox } from './problem.js';

const rateMax = 100;
const skipsShownMax = 50;

const verbs = {
  redrive: {
    title: 'Redrive',
    done: 'redriven',
    text: 'They run again under their old ids and keys, each with a slot, and with attempts, wait budget and deadline anew.',
  },
  discard: { title: 'Discard', done: 'discarded', text: 'They are never run again. This cannot be undone.' },
};

/** @type {Readonly<Record<string, string>>} */
const stops = {
  full: 'It stopped because all slots are taken. Repeat it when there is room.',
  closed: 'It stopped because the intake is closed. Open it first.',
  time: 'It stopped because the API ran out of time several times. Repeat it.',
};

/**
 * @typedef {object} Bulk
 * @property {keyof typeof verbs} verb
 * @property {Which} which
 * @property {string} what  in words, after the verb
 * @property {number | undefined} expected  how many, where that is known
 */

/**
 * The dialog of a redrive or discard: rehearse, decide, follow. Resolves when it is closed, to whether anything was done.
 * @param {Bulk} bulk
 * @returns {Promise<boolean>}
 */
export const openBulk = ({ verb, which, what, expected }) => {
  const { title, done, text } = verbs[verb];
  const rate = el('input', {
    type: 'number',
    min: 1,
    max: rateMax,
    step: 1,
    inputmode: 'numeric',
    placeholder: 'as fast as it goes',
  });
  const force = el('input', { type: 'checkbox' });
  const options = el(
    'div',
    { class: 'options' },
    field('At most so many a second', rate),
    verb === 'redrive' && el('label', {}, force, ' also those that were redriven three times already'),
  );
  const progress = el('progress', { 'aria-label': 'Looked at', hidden: true });
  const told = el('p', { role: 'status' });
  const detail = el('div');
  const rehearse = el('button', { type: 'button', onclick: () => run(true) }, 'Dry run');
  const act = el(
    'button',
    { type: 'button', class: verb === 'discard' ? 'danger' : 'primary', disabled: true, onclick: () => run(false) },
    title,
  );
  const stop = el('button', { type: 'button', hidden: true, onclick: () => halt() }, 'Stop');
  const close = el('button', { type: 'button', onclick: () => dialog.close() }, 'Close');
  let known = expected;
  let stopped = false;
  let acted = false;
  const halt = () => {
    stopped = true;
    stop.disabled = true;
    told.textContent = 'Stopping after this call…';
  };

  /** @param {boolean} dryRun */
  const run = async (dryRun) => {
    if (!rate.reportValidity()) return;
    stopped = false;
    acted ||= !dryRun;
    /** @type {Totals} */
    let totals = { examined: 0, moved: 0, skipped: [], stoppedBy: 'end' };
    busy(true);
    put(detail);
    told.textContent = dryRun ? 'Rehearsing…' : 'At work…';
    try {
      const request = { which, dryRun, force: force.checked, ...(rate.value && { rate: rate.valueAsNumber }) };
      /** @param {object} body @returns {Promise<BulkAnswer>} */
      const call = (body) => api.post(`/operator/dead/${verb}`, body);
      for await (totals of workThrough(call, request)) {
        if (known !== undefined)
          [progress.max, progress.value] = [Math.max(known, totals.examined, 1), totals.examined];
        if (stopped) break;
        told.textContent = `${counted(totals.examined, 'entry', 'entries')} looked at, ${count(totals.moved)} ${dryRun ? `would be ${done}` : done}…`;
      }
      const outcome = dryRun ? `would be ${done}` : done;
      told.textContent = `${dryRun ? 'Dry run: ' : stopped ? 'Stopped: ' : 'Done: '}${count(totals.moved)} ${outcome}, ${count(totals.skipped.length)} skipped.`;
      if (dryRun && !stopped) known = totals.examined;
      put(detail, ...outcomeDetail(totals, stopped));
      busy(false);
      // What was rehearsed may be done now; after that, it takes another rehearsal.
      act.disabled = !dryRun || stopped || totals.moved === 0;
      if (!act.disabled) act.textContent = `${title} ${count(totals.moved)}`;
      else act.textContent = title;
      (act.disabled ? close : act).focus();
    } catch (error) {
      told.textContent = totals.examined > 0 ? `Until then: ${count(totals.moved)} ${done}.` : '';
      put(detail, problemBox(error));
      busy(false);
      act.disabled = true;
      close.focus();
    }
  };
  /** @param {boolean} isBusy */
  const busy = (isBusy) => {
    progress.hidden = !isBusy;
    progress.removeAttribute('value');
    stop.hidden = !isBusy;
    stop.disabled = false;
    for (const button of [rehearse, act, close]) button.disabled = isBusy;
    for (const input of [rate, force]) input.disabled = isBusy;
    if (isBusy) stop.focus();
  };
  for (const input of [rate, force]) {
    // Another question takes another rehearsal.
    input.addEventListener('change', () => {
      act.disabled = true;
    });
  }

  const dialog = openDialog({
    title: `${title} ${what}`,
    body: [
      el('p', {}, text),
      options,
      el('p', { class: 'muted' }, 'A dry run changes nothing; it tells what would be done.'),
      progress,
      told,
      detail,
    ],
    buttons: [close, stop, rehearse, act],
  });
  dialog.addEventListener('cancel', (event) => {
    // Escape stops the work; it does not hide it.
    if (stop.hidden) return;
    event.preventDefault();
    halt();
  });
  return new Promise((resolve) => dialog.addEventListener('close', () => resolve(acted), { once: true }));
};

/**
 * @param {Totals} totals
 * @param {boolean} stopped
 */
const outcomeDetail = ({ skipped, stoppedBy }, stopped) => {
  const limited = skipped.some(({ code }) => code === 'redrive-limit');
  const more = skipped.length - skipsShownMax;
  const why = stopped ? undefined : stops[stoppedBy];
  return [
    why !== undefined && el('p', { class: 'hint' }, why),
    limited &&
      el('p', { class: 'hint' }, 'Some were redriven three times already: find out why they die before you force it.'),
    skipped.length > 0 &&
      el(
        'details',
        {},
        el('summary', {}, `Skipped: ${count(skipped.length)}`),
        el(
          'ul',
          {},
          ...skipped
            .slice(0, skipsShownMax)
            .map(({ id, code }) => el('li', {}, el('code', {}, plain(id)), ` ${plain(code)}`)),
          more > 0 && el('li', {}, `and ${count(more)} more`),
        ),
      ),
  ].filter((part) => part instanceof HTMLElement);
};
