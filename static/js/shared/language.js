// @ts-check
// What the pages' scripts say, in the language of the page. Its catalogue comes as a script of its own, before this one;
// English has none, and is told as it is written.

/** @typedef {Record<string, string | number | null | undefined>} Values */

/**
 * The text in the language of the page, with the values in the places that it names: `{points}`.
 *
 * @param {string} text
 * @param {Values} [values]
 */
export function t(text, values) {
  const { gettext } = /** @type {{gettext?: (text: string) => string}} */ (globalThis);
  const translated = text && gettext ? gettext(text) : text;
  return values ? translated.replace(/\{(\w+)\}/g, (place, name) => String(values[name] ?? place)) : translated;
}
