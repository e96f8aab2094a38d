// @ts-check
// The tables where people wait for company, first in the lobby, as the socket tells of them.

import { t } from "../shared/language.js";
import { find } from "../shared/query.js";

/** @typedef {import("./types.js").Stake} Stake */
/** @typedef {import("./types.js").Table} Table */

/** The same stands in lobby/stakes/presenters.py. */
const SHOWN = 12;

/** @type {(stakes: Iterable<Stake>) => {stake: Stake, table: Table}[]} */
export function waitingTables(stakes) {
  const found = [...stakes].flatMap((stake) => stake.tables.map((table) => ({ stake, table })));
  const lacks = (/** @type {Table} */ table) => table.seats.length - table.seated;
  return found
    .filter(({ table }) => table.waiting > 0 && table.joinable)
    .sort((one, other) => lacks(one.table) - lacks(other.table) || one.table.id - other.table.id)
    .slice(0, SHOWN);
}

/**
 * Brings the list up to date. What stays is left in its place: one may be about to press it.
 *
 * @param {Iterable<Stake>} stakes
 */
export function showWaiting(stakes) {
  const list = find(document, "#waiting-tables", HTMLElement);
  const known = new Map(
    [...list.children].map((item) => [item.getAttribute("data-waiting"), /** @type {HTMLElement} */ (item)]),
  );
  const tables = waitingTables(stakes);
  for (const { stake, table } of tables) {
    const key = String(table.id);
    const item = known.get(key) ?? newItem(key, stake);
    known.delete(key);
    write(item, "names", namesOf(table));
    write(item, "taken", t("{taken} of {seats} seats taken", { taken: table.seated, seats: table.seats.length }));
    if (!item.isConnected) list.append(item);
  }
  for (const gone of known.values()) gone.remove();
  find(document, "#waiting-none", HTMLElement).hidden = tables.length > 0;
}

/** @type {(key: string, stake: Stake) => HTMLElement} */
function newItem(key, stake) {
  const { content } = find(document, "#waiting-table", HTMLTemplateElement);
  const item = /** @type {HTMLElement} */ (content.firstElementChild?.cloneNode(true));
  item.dataset.waiting = key;
  find(item, "a", HTMLAnchorElement).href = `/sit/${stake.id}/?table=${key}`;
  write(item, "title", titleOf(stake));
  return item;
}

/**
 * As the server has written it beside the stake, in the reader's language; else as the socket says it.
 *
 * @param {Stake} stake
 */
const titleOf = ({ id, title }) =>
  document.querySelector(`#stake-${id} [data-title]`)?.getAttribute("data-title") ?? title;

/** @param {Table} table */
export const namesOf = (table) =>
  table.seats
    .map((place) => place.name)
    .filter(Boolean)
    .join(", ");

/** @type {(item: HTMLElement, part: "title" | "names" | "taken", text: string) => void} */
function write(item, part, text) {
  const node = find(item, `.waiting-table__${part}`, HTMLElement);
  if (node.textContent !== text) node.textContent = text;
}
