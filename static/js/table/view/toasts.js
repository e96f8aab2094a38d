// @ts-check
// Short messages over the table: refusals of the server in its own words, and small hints.

import { byId, el } from "../dom.js";

/**
 * @param {string} text
 * @param {{plain?: boolean, ms?: number}} [look]
 */
export function toast(text, { plain = false, ms = 4200 } = {}) {
  const list = byId("toasts");
  if ([...list.children].some((shown) => shown.textContent === text)) return;
  const node = el("div", { class: `toast${plain ? " is-plain" : ""}`, text });
  list.append(node);
  while (list.children.length > 3) list.firstChild?.remove();
  setTimeout(() => node.remove(), ms);
}
