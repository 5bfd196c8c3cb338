/** @import { StatusFeed } from './poll.js' */
/** @import { StatusAnswer } from '../../cli/answers.ts' */
import { api } from './api.js';
import { confirm } from './dialog.js';
import { announce, el, field, freshId, put, say } from './dom.js';
import { clock, count, counted, plain, tone } from './format.js';
import { problemBox } from './problem.js';

const capacityMax = 100_000;

/**
 * Intake, consumer and capacity: what they are, and what changes them.
 * @param {StatusFeed} feed
 * @param {AbortSignal} signal
 */
export const controls = (feed, signal) =>
  el(
    'section',
    { class: 'cards', 'aria-label': 'Controls' },
    intake(feed, signal),
    consumer(feed, signal),
    capacity(feed, signal),
  );

/**
 * A card with a state, its buttons, and a place for what went wrong.
 * @param {StatusFeed} feed
 * @param {string} title
 */
const control = (feed, title) => {
  const id = freshId();
  const heading = el('h2', { id, tabindex: -1 }, title);
  const badge = el('span', { class: 'badge' }, '–');
  const note = el('p', { class: 'note' });
  const trouble = el('div');
  const actions = el('div', { class: 'actions' });
  const card = el(
    'article',
    { class: 'card', 'aria-labelledby': id },
    heading,
    el('p', { class: 'reading' }, badge),
    note,
    actions,
    trouble,
  );
  let busy = false;
  const dismiss = () => {
    put(trouble);
    heading.focus();
  };
  return {
    card,
    note,
    actions,
    /** @param {string} state */
    state: (state) => {
      const before = badge.textContent;
      say(badge, plain(state));
      // A running job is under way; a consumer that runs is well.
      badge.className = `badge ${state === 'running' ? 'good' : tone(state)}`;
      if (before !== '–' && before !== plain(state)) announce(`${title}: ${plain(state)}`);
    },
    /**
     * Shows the buttons that fit; the focus does not get lost with one that goes.
     * @param {readonly (readonly [HTMLElement, boolean])[]} buttons
     */
    offer: (buttons) => {
      const hadFocus = actions.contains(document.activeElement);
      for (const [button, fits] of buttons) button.hidden = !fits;
      if (hadFocus && document.activeElement instanceof HTMLElement && document.activeElement.hidden) heading.focus();
    },
    /**
     * @param {string} path
     * @param {object} body
     */
    change: async (path, body) => {
      if (busy) return;
      busy = true;
      card.setAttribute('aria-busy', 'true');
      put(trouble);
      try {
        feed.take(/** @type {StatusAnswer} */ (await api.post(path, body)));
      } catch (error) {
        put(trouble, problemBox(error, button('Dismiss', dismiss)));
      } finally {
        busy = false;
        card.removeAttribute('aria-busy');
      }
    },
  };
};

/**
 * @param {string} text
 * @param {() => void} onclick
 */
const button = (text, onclick) => el('button', { type: 'button', onclick }, text);

/**
 * @param {StatusFeed} feed
 * @param {AbortSignal} signal
 */
const intake = (feed, signal) => {
  const { card, note, actions, state, offer, change } = control(feed, 'Intake');
  const progress = el('progress', { 'aria-label': 'Drained', hidden: true });
  note.after(progress);
  const open = button('Open', () => void change('/operator/intake', { state: 'open' }));
  const close = button('Close…', async () => {
    const text = 'Submissions and redrives are refused until it is opened. What is in flight goes on.';
    if (await confirm({ title: 'Close the intake?', text, action: 'Close' }))
      void change('/operator/intake', { state: 'closed' });
  });
  const drain = button('Drain…', async () => {
    const wait = el('input', { type: 'radio', name: 'mode', value: 'drain', checked: true });
    const cancel = el('input', { type: 'radio', name: 'mode', value: 'cancel' });
    const extra = el(
      'fieldset',
      {},
      el('legend', {}, 'Jobs in flight'),
      el('label', {}, wait, ' go on to their end'),
      el('label', {}, cancel, ' are cancelled, those that run at their next checkpoint'),
    );
    const text = 'Closes the intake and says when no slot is taken and no message is being worked on.';
    const yes = await confirm({ title: 'Drain?', text, action: 'Drain', danger: true, extra });
    if (yes) void change('/operator/intake', { state: 'closed', mode: cancel.checked ? 'cancel' : 'drain' });
  });
  actions.append(open, close, drain);
  let most = 0;
  feed.listen(({ looks }) => {
    const status = looks.at(-1)?.status;
    if (status === undefined) return;
    state(status.intake);
    const isDraining = status.intake === 'draining';
    const left = status.drain?.left ?? 0;
    most = isDraining ? Math.max(most, left) : 0;
    progress.hidden = !isDraining;
    progress.max = Math.max(1, most);
    progress.value = most - left;
    say(note, intakeNote(status));
    offer([
      [open, status.intake !== 'open'],
      [close, status.intake === 'open'],
      [drain, status.intake === 'open' || status.intake === 'closed'],
    ]);
  }, signal);
  return card;
};

/** @param {StatusAnswer} status */
const intakeNote = ({ intake: now, drain }) => {
  if (now === 'open') return 'Jobs are taken in';
  if (now === 'closed') return 'Submissions and redrives are refused';
  const left = counted(drain?.left ?? 0, 'job');
  if (now === 'drained')
    return drain?.left ? `${left} left; submissions are refused` : 'Nothing is in flight; submissions are refused';
  if (drain?.waitingFor === 'consumer-paused') return `${left} left; it cannot end while the consumer is paused`;
  const until = drain?.until === undefined ? '' : `, until ${clock(drain.until)} at the latest`;
  return drain?.left === 0 ? 'None left; waiting for the second look that finds it so' : `${left} left${until}`;
};

/**
 * @param {StatusFeed} feed
 * @param {AbortSignal} signal
 */
const consumer = (feed, signal) => {
  const { card, note, actions, state, offer, change } = control(feed, 'Consumer');
  const pause = button('Pause…', async () => {
    const text = 'No more jobs are started. What runs is ended, submissions go on and wait. Deadlines go on too.';
    if (await confirm({ title: 'Pause the consumer?', text, action: 'Pause' }))
      void change('/operator/consumer', { state: 'paused' });
  });
  const resume = button('Resume', () => void change('/operator/consumer', { state: 'running' }));
  actions.append(pause, resume);
  /** @type {Readonly<Record<string, string>>} */
  const notes = {
    running: 'Jobs are started as they come',
    pausing: 'Batches that were delivered go on to their end',
    paused: 'No job is started',
    resuming: 'It may take up to a minute',
  };
  feed.listen(({ looks }) => {
    const now = looks.at(-1)?.status.consumer;
    if (now === undefined) return;
    state(now);
    say(note, notes[now] ?? '');
    offer([
      [pause, now === 'running' || now === 'resuming'],
      [resume, now === 'paused' || now === 'pausing'],
    ]);
  }, signal);
  return card;
};

/**
 * @param {StatusFeed} feed
 * @param {AbortSignal} signal
 */
const capacity = (feed, signal) => {
  const { card, note, actions, state, change } = control(feed, 'Capacity');
  const input = el('input', {
    type: 'number',
    min: 1,
    max: capacityMax,
    step: 1,
    required: true,
    inputmode: 'numeric',
  });
  const form = el(
    'form',
    {
      class: 'inline',
      onsubmit: async (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        const wanted = input.valueAsNumber;
        const status = feed.status;
        if (status !== undefined && wanted < status.capacity && !(await confirmLower(status, wanted))) return;
        await change('/operator/capacity', { capacity: wanted });
        input.value = '';
      },
    },
    field('New capacity', input),
    el('button', {}, 'Set'),
  );
  actions.append(form);
  feed.listen(({ looks }) => {
    const status = looks.at(-1)?.status;
    if (status === undefined) return;
    state(count(status.capacity));
    say(note, 'How many jobs may be in flight');
    input.placeholder = String(status.capacity);
  }, signal);
  return card;
};

/**
 * @param {StatusAnswer} status
 * @param {number} wanted
 */
const confirmLower = ({ capacity: now, inFlight: { total } }, wanted) => {
  const over =
    total > wanted ? ` Nothing is let in until ${counted(total - wanted, 'job')} of those in flight have ended.` : '';
  return confirm({
    title: 'Lower the capacity?',
    text: `It goes from ${count(now)} down to ${count(wanted)}.${over}`,
    action: `Set ${count(wanted)}`,
  });
};
