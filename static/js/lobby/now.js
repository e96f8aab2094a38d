// @ts-check
// Stakes and waiting tables as they are now: the socket says which have changed, the server draws them.

import { find } from "../shared/query.js";

/** As long as the server shows what it has read before: asked sooner, it might not know of the change. */
const WAIT_MS = 500;

/** @type {Set<number>} */
const changed = new Set();
const address = find(document, "[data-now]").dataset.now;
let timer = 0;

/**
 * Shows these stakes as they are now, and the tables where people wait. Everybody asks in a moment of their own.
 *
 * @param {number[]} stakes
 */
export function showNow(stakes) {
  for (const id of stakes) changed.add(id);
  if (!timer) timer = setTimeout(ask, WAIT_MS * (1 + Math.random()));
}

async function ask() {
  timer = 0;
  if (document.hidden) return;
  const rows = [...changed].filter((id) => document.getElementById(`stake-${id}`));
  changed.clear();
  const query = new URLSearchParams(rows.map((id) => ["stake", String(id)]));
  const answer = await fetch(`${address}?${query}`, { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok) {
    for (const id of rows) changed.add(id);
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const id of ["waiting-tables", "waiting-none", ...rows.map((row) => `stake-${row}`)]) {
    const [old, fresh] = [document.getElementById(id), page.getElementById(id)];
    if (old && fresh) follow(old, fresh);
    else old?.remove();
  }
}

document.addEventListener("visibilitychange", () => {
  if (changed.size) showNow([]);
});

/**
 * Brings a part of the page up to what the server draws now, and leaves what is the same in its place: an open fold, the
 * focus, a link that somebody is about to press.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function follow(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const name of old.getAttributeNames()) {
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  }
  if (hasOnlyElements(old) && hasOnlyElements(fresh)) followChildren(old, fresh);
  else if (old.innerHTML !== fresh.innerHTML) old.replaceChildren(...fresh.childNodes);
}

/** @param {Element} element */
const hasOnlyElements = ({ childNodes }) =>
  [...childNodes].every((node) => node instanceof Element || !node.textContent?.trim());

/**
 * Children are the same by their id, or else by their place; new ones come last.
 *
 * @param {Element} old
 * @param {Element} fresh
 */
function followChildren(old, fresh) {
  const known = new Map([...old.children].map((child, place) => [child.id || place, child]));
  [...fresh.children].forEach((child, place) => {
    const held = known.get(child.id || place);
    known.delete(child.id || place);
    if (held?.tagName === child.tagName) follow(held, child);
    else if (held) held.replaceWith(child);
    else old.append(child);
  });
  for (const gone of known.values()) gone.remove();
}
