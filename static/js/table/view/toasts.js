// @ts-check
// Short messages over the table: refusals of the server in its own words, and small hints.

import { byId, el } from "../../shared/dom.js";

/**
 * A message with a button, for so long; answers how to take it away.
 *
 * @param {string} text
 * @param {string} label
 * @param {() => unknown} run
 * @param {number} ms
 */
export function offer(text, label, run, ms) {
  const button = el("button", { class: "act", type: "button", onclick: run }, label);
  const node = el("div", { class: "toast is-plain is-offer" }, el("span", { text }), button);
  byId("toasts").append(node);
  const close = () => node.remove();
  setTimeout(close, ms);
  return close;
}

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
