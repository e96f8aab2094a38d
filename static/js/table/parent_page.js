// @ts-check
// The page around a table that stands in a frame, beside the player's other tables: it shows each clock in its tray.

import { pageData } from "../shared/dom.js";

/**
 * What the page around learns: `status` is how the table stands, `call` what the player is called for. Of a seat that
 * the player has given up only that.
 *
 * @typedef {Object} Report
 * @property {number} table
 * @property {string} title
 * @property {string} status
 * @property {number | null} seconds
 * @property {string | null} call
 * @property {boolean} practice
 */

/** Whether this table stands in a frame. */
export const isFramed = () => window.parent !== window;

let sent = "";

/** @param {Report | {table: number, left: true}} report */
export function reportToParent(report) {
  const text = JSON.stringify(report);
  if (!isFramed() || text === sent) return;
  sent = text;
  window.parent.postMessage(report, location.origin);
}

/**
 * Goes to another page, the page around with it.
 *
 * @param {string} address
 */
export function go(address) {
  (isFramed() ? window.parent : window).location.assign(address);
}

/**
 * To the lobby from a table that the player has left: in a frame, the page around goes on without it.
 *
 * @param {number} table
 */
export function toLobby(table) {
  if (isFramed()) reportToParent({ table, left: true });
  else go(pageData("lobby"));
}

/** Links of a table in a frame lead the page around to where they lead. */
export function openLinksInParent() {
  if (!isFramed()) return;
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target || event.ctrlKey || event.metaKey || link.getAttribute("href")?.startsWith("#")) return;
    event.preventDefault();
    go(link.href);
  });
}
