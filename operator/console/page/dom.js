import { moment, since } from './format.js';

/**
 * @typedef {Node | string | number | false | null | undefined} Child
 * @typedef {Readonly<Record<string, unknown>>} Attributes  a function becomes a listener, `false` and undefined nothing
 */

const svgNames = 'http://www.w3.org/2000/svg';

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes
 * @param {readonly Child[]} children
 */
const fill = (element, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  put(element, ...children);
  return element;
};

/**
 * Makes an element. Its children that are no elements become text, whatever they hold: there is no other way in this page
 * to put something on it.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);

/**
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(svgNames, tag), attributes, children);

/**
 * Replaces what is in an element.
 * @param {Element} element
 * @param {...Child} children
 */
export const put = (element, ...children) => {
  element.replaceChildren(
    ...children.flatMap((child) => {
      if (child === false || child === null || child === undefined) return [];
      return [child instanceof Node ? child : document.createTextNode(String(child))];
    }),
  );
};

/**
 * Changes a text only if it is another one, so that a screen reader and a selection are left alone.
 * @param {Element} element
 * @param {string} text
 */
export const say = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/** @param {string} id */
export const byId = (id) => {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no #${id}`);
  return found;
};

/**
 * A field with its label.
 * @param {string} label
 * @param {HTMLElement} input
 */
export const field = (label, input) => el('label', { class: 'field' }, el('span', {}, label), input);

/**
 * How long ago a moment is; `refreshTimes` keeps it true.
 * @param {string} iso
 */
export const sinceTime = (iso) =>
  el('time', { datetime: iso, title: moment(iso), 'data-since': true }, since(iso, Date.now()));

export const refreshTimes = () => {
  for (const time of document.querySelectorAll('time[data-since]')) {
    say(time, since(time.getAttribute('datetime') ?? '', Date.now()));
  }
};

let lastId = 0;
/** An id for what a label or a description has to point at. */
export const freshId = () => `id-${++lastId}`;

/**
 * Tells a screen reader something that others see.
 * @param {string} text
 */
export const announce = (text) => {
  byId('announce').textContent = text;
};
