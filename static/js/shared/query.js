// @ts-check
// Elements that a script counts on: of the kind that it needs, or an error that names what the page lacks.

/**
 * What there is inside the node for this selector.
 *
 * @template {Element} [T=HTMLElement]
 * @param {ParentNode} node
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function find(node, selector, kind = /** @type {new () => any} */ (HTMLElement)) {
  const found = node.querySelector(selector);
  if (found instanceof kind) return found;
  throw new Error(`There is no ${kind.name} for ${selector}.`);
}

/**
 * The nearest such element around what an event hit, or null.
 *
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export function around(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}
