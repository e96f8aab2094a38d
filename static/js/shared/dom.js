// @ts-check
// Small helpers to build and keep DOM nodes. Text goes in as text only: nothing a player typed is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * An element with properties (`class`, `text`, `on…`, anything else an attribute) and children.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [props]
 * @param {Child[]} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") node.className = value;
    else if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * @param {string} href
 * @param {string} className
 */
function use(href, className) {
  return svg("svg", { class: className, "aria-hidden": "true", focusable: "false" }, svg("use", { href }));
}

/** @type {(name: string) => SVGElement} */
export const icon = (name) => use(`${document.body.dataset.icons}#${name}`, "icon");
/** @type {(name: string, className?: string) => SVGElement} */
export const mark = (name, className = "mark") => use(`${document.body.dataset.suits}#${name}`, className);

/**
 * An element of a drawing.
 *
 * @param {string} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {Node[]} children
 */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/**
 * Writes only what changed, so that screen readers and transitions are left alone.
 *
 * @param {Element} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Says a text in a live region. Screen readers speak what changes: said twice in a row, it has a space more or less.
 *
 * @param {Element} node
 * @param {string} text
 */
export function speak(node, text) {
  node.textContent = node.textContent === text ? `${text}\u00a0` : text;
}

/**
 * Sets an attribute, or takes it away; only where it changed.
 *
 * @param {Element} node
 * @param {string} name
 * @param {string | boolean | null | undefined} value
 */
export function setAttr(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== written(value)) node.setAttribute(name, written(value));
}

/** @type {(value: string | true) => string} */
const written = (value) => (value === true ? "" : value);

/** @type {WeakMap<Element, string>} what each node was last drawn from */
const drawnFrom = new WeakMap();

/**
 * Draws a node from one plain value, anew exactly where that value differs. `draw` must look at nothing else: so what
 * a node shows, and what it is drawn anew for, are one.
 *
 * @template S
 * @param {Element} node
 * @param {S} shown
 * @param {(shown: S) => unknown} draw
 */
export function drawnOnce(node, shown, draw) {
  const value = JSON.stringify(shown);
  if (drawnFrom.get(node) === value) return;
  drawnFrom.set(node, value);
  draw(shown);
}

/**
 * Keeps one child per item: reuses nodes by key, puts them in order, drops the rest.
 *
 * @template T
 * @template {HTMLElement} [N=HTMLElement]
 * @param {HTMLElement} parent
 * @param {T[]} items
 * @param {(item: T) => string | number} keyOf
 * @param {(item: T) => N} create
 * @param {((node: N, item: T, place: number) => void) | null} [update]
 */
export function keyed(parent, items, keyOf, create, update = null) {
  const children = /** @type {N[]} */ ([...parent.children]);
  const had = new Map(children.map((node) => [node.dataset.key, node]));
  const focused = /** @type {HTMLElement | null} */ (document.activeElement);
  items.forEach((item, place) => {
    const key = String(keyOf(item));
    const node = had.get(key) ?? create(item);
    node.dataset.key = key;
    had.delete(key);
    if (parent.children[place] !== node) parent.insertBefore(node, parent.children[place] ?? null);
    update?.(node, item, place);
  });
  for (const node of had.values()) node.remove();
  if (focused && focused !== document.activeElement && parent.contains(focused)) focused.focus({ preventScroll: true });
}

/**
 * The element of the page that has this id; an error where the page has none.
 *
 * @param {string} id
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`The page has no #${id}.`);
  return node;
}

/**
 * What the template has written on the page: an address, a token.
 *
 * @param {string} name
 */
export function pageData(name) {
  const value = document.body.dataset[name];
  if (value === undefined) throw new Error(`The page says no data-${name}.`);
  return value;
}

/** The place of a number in an address: a 0 that is a whole part of it. */
const PLACE = /(?<=[/=])0(?=\/|$)/;

/**
 * An address that the template has written on the page, with the number in its place.
 *
 * @param {string} name
 * @param {number | string} number
 */
export const addressOf = (name, number) => pageData(name).replace(PLACE, String(number));
