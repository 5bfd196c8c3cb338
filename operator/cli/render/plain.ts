const control = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/**
 * A text that came from outside, fit for one line of a terminal: control and format characters are spelled as escapes,
 * so that no job can move the cursor, hide text, or turn the direction of writing.
 */
export const plain = (value: unknown): string =>
  String(value ?? '').replaceAll(control, (found) => (found === '\n' ? '\\n' : escapeUnits(found)));

/** JSON text on which the same is done inside its strings; it still means the same. */
export const plainJson = (text: string): string =>
  text.replaceAll(control, (found) => (/[\n\r\t]/.test(found) ? found : escapeUnits(found)));

/** A JSON value over several lines. */
export const jsonLines = (value: unknown): readonly string[] =>
  plainJson(JSON.stringify(value, null, 2) ?? 'null').split('\n');
