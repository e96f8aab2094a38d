// @ts-check
// Puts pushed stakes into the rows that the server has rendered. Only what changed is touched.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";
import { namesOf } from "./waiting.js";

/** @typedef {import("./types.js").Stake} Stake */
/** @typedef {import("./types.js").Table} Table */

/** @type {Record<string, string>} */
const PHASES = { waiting: t("waiting"), starting: t("starting"), over: t("over") };

/**
 * Brings the row of a stake up to date; false where the page shows none.
 *
 * @param {Stake} stake
 */
export function showStake(stake) {
  const row = document.getElementById(`stake-${stake.id}`);
  if (!row) return false;
  if (stake.active === false) {
    row.remove();
    return true;
  }
  showCounts(find(row, "[data-live]", HTMLElement), stake);
  showTables(row, stake);
  return true;
}

/**
 * @param {HTMLElement} live
 * @param {Stake} stake
 */
function showCounts(live, stake) {
  const parts = [];
  if (stake.playing) parts.push(t("{playing} playing", { playing: stake.playing }));
  if (stake.waiting) parts.push(t("{waiting} waiting", { waiting: stake.waiting }));
  setText(live, parts.join(" · ") || t("Nobody seated"));
  live.classList.toggle("live--busy", stake.seated > 0);
}

/**
 * @param {HTMLElement} row
 * @param {Stake} stake
 */
function showTables(row, stake) {
  const list = find(row, "[data-tables]", HTMLElement);
  const busy = stake.tables.filter((table) => table.seated > 0);
  const known = new Map(elements(list).map((item) => [item.dataset.table, item]));
  busy.forEach((table, index) => {
    const key = String(table.id);
    const item = known.get(key) || newItem(key);
    known.delete(key);
    fillItem(item, table, stake);
    if (list.children[index] !== item) list.insertBefore(item, list.children[index] || null);
  });
  for (const gone of known.values()) gone.remove();
  find(row, "[data-quiet]", HTMLElement).hidden = busy.length > 0;
  const more = stake.tables_open - stake.tables.length;
  const note = find(row, "[data-more]", HTMLElement);
  note.hidden = more <= 0;
  setText(note, t("and {more} more tables", { more }));
}

/** @type {(node: Element) => HTMLElement[]} */
const elements = (node) => /** @type {HTMLElement[]} */ ([...node.children]);

/** @param {string} key */
function newItem(key) {
  const { content } = find(document, "#table-row", HTMLTemplateElement);
  const item = /** @type {HTMLElement} */ (content.firstElementChild?.cloneNode(true));
  item.dataset.table = key;
  return item;
}

/**
 * @param {HTMLElement} item
 * @param {Table} table
 * @param {Stake} stake
 */
function fillItem(item, table, stake) {
  const seats = find(item, ".open-table__seats", HTMLElement);
  while (seats.children.length < table.seats.length) seats.append(document.createElement("i"));
  table.seats.forEach((place, index) => {
    const taken = place.bot ? "is-taken is-bot" : "is-taken";
    const look = place.name ? taken : "";
    if (seats.children[index].className !== look) seats.children[index].className = look;
  });
  setText(find(item, ".open-table__names", HTMLElement), namesOf(table));
  setText(find(item, ".open-table__phase", HTMLElement), PHASES[table.phase] || t("playing"));
  showLink(item, "a[data-watch]", table.watchable, `/tables/${table.id}/watch/`);
  showLink(item, "a[data-sit]", table.joinable, `/sit/${stake.id}/?table=${table.id}`);
}

/** @type {(item: HTMLElement, kind: string, leads: boolean, address: string) => void} */
function showLink(item, kind, leads, address) {
  const link = find(item, kind, HTMLAnchorElement);
  link.hidden = !leads;
  if (link.getAttribute("href") !== address) link.setAttribute("href", address);
}

/**
 * @param {Element} element
 * @param {string} text
 */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
