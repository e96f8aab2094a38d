// Small helpers to build and keep DOM nodes. Text goes in as text only: nothing a player typed is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties (`class`, `text`, `on…`, anything else an attribute) and children. */
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

function use(href, className) {
  return svg("svg", { class: className, "aria-hidden": "true", focusable: "false" }, svg("use", { href }));
}

export const icon = (name) => use(`${document.body.dataset.icons}#${name}`, "icon");
export const mark = (name, className = "mark") => use(`${document.body.dataset.suits}#${name}`, className);

export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** Writes only what changed, so that screen readers and transitions are left alone. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export function setAttr(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value === true ? "" : String(value));
}

/** Keeps one child per item: reuses nodes by key, puts them in order, drops the rest. */
export function keyed(parent, items, keyOf, create, update = null) {
  const had = new Map([...parent.children].map((node) => [node.dataset.key, node]));
  const focused = document.activeElement;
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

export const byId = (id) => document.getElementById(id);

/** Where a node is, relative to the room: the coordinates that every animation and layout uses. */
export function placeOf(node) {
  const room = byId("room").getBoundingClientRect();
  const box = node.getBoundingClientRect();
  return { x: box.left - room.left, y: box.top - room.top, w: box.width, h: box.height };
}
