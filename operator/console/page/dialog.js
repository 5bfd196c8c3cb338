import { el, freshId } from './dom.js';

/**
 * Opens a modal dialog; the browser keeps the focus in it and makes Escape close it. Focus goes back to where it was.
 * @param {{ title: string, body: readonly HTMLElement[], buttons: readonly HTMLButtonElement[] }} content
 */
export const openDialog = ({ title, body, buttons }) => {
  const titleId = freshId();
  const before = document.activeElement;
  const heading = el('h2', { id: titleId, tabindex: -1 }, title);
  const dialog = el(
    'dialog',
    {
      'aria-labelledby': titleId,
      onclose: () => {
        dialog.remove();
        if (before instanceof HTMLElement && before.isConnected) before.focus();
      },
    },
    heading,
    ...body,
    el('div', { class: 'actions' }, ...buttons),
  );
  document.body.append(dialog);
  dialog.showModal();
  heading.focus();
  return dialog;
};

/**
 * Asks before something is done. The safe answer comes first, and Escape gives it.
 * @param {{ title: string, text: string, action: string, danger?: boolean, extra?: HTMLElement }} question
 * @returns {Promise<boolean>}
 */
export const confirm = ({ title, text, action, danger = false, extra }) =>
  new Promise((resolve) => {
    let yes = false;
    const dialog = openDialog({
      title,
      body: [el('p', {}, text), ...(extra === undefined ? [] : [extra])],
      buttons: [
        el('button', { type: 'button', onclick: () => dialog.close() }, 'Back'),
        el(
          'button',
          {
            type: 'button',
            class: danger ? 'danger' : 'primary',
            onclick: () => {
              yes = true;
              dialog.close();
            },
          },
          action,
        ),
      ],
    });
    dialog.addEventListener('close', () => resolve(yes), { once: true });
  });
