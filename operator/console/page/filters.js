import { el, field } from './dom.js';

/** @typedef {{ type: string, tenant: string }} CommonFilters */

/** @param {string} value */
const textInput = (value) => el('input', { value, maxlength: 256, autocomplete: 'off', spellcheck: 'false' });

/**
 * The filters of a list: one choice of its own, and type and tenant. What was entered stands in `filters` before `apply`
 * is called; without a choice, or without text, a member is ''.
 * @template {string} K
 * @param {CommonFilters & Record<K, string>} filters
 * @param {{ readonly label: string, readonly name: K, readonly options: readonly HTMLElement[] }} choice
 * @param {() => void} apply
 */
export const filterForm = (filters, { label, name, options }, apply) => {
  const select = el('select', { onchange: () => read() }, el('option', { value: '' }, 'all'), ...options);
  select.value = filters[name];
  const type = textInput(filters.type);
  const tenant = textInput(filters.tenant);
  const read = () => {
    Object.assign(filters, { [name]: select.value, type: type.value.trim(), tenant: tenant.value.trim() });
    apply();
  };
  return el(
    'form',
    {
      class: 'filters',
      role: 'search',
      'aria-label': 'Filters',
      onsubmit: (/** @type {SubmitEvent} */ event) => {
        event.preventDefault();
        read();
      },
    },
    field(label, select),
    field('Type', type),
    field('Tenant', tenant),
    el('button', {}, 'Filter'),
  );
};

/** @param {readonly string[]} names */
export const optionsOf = (names) => names.map((name) => el('option', { value: name }, name));
