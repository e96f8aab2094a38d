// @ts-check
// The drawer with the discards of the deal, by player, in the order in which they were thrown.

import { cardBack, cardFace } from "../../shared/card_faces.js";
import { byId, drawnOnce, el, icon } from "../../shared/dom.js";
import { t } from "../../shared/language.js";
import { find } from "../../shared/query.js";
import { change, settings } from "../../shared/settings.js";
import { plural } from "../../shared/words.js";
import { mode } from "../layout_modes.js";

/** @import { ShownTable, Table } from "../model/table.js" */
/** @import { DiscardView } from "../../shared/types.js" */

/** @type {Element | null} Where the keyboard stood before the drawer was opened: there it goes back. */
let stood = null;

/** @param {Table} table */
export function toggleDiscards(table) {
  const drawer = byId("drawer");
  drawer.hidden = !drawer.hidden;
  byId("tool-discards").setAttribute("aria-expanded", String(!drawer.hidden));
  change("discards", !drawer.hidden);
  if (drawer.hidden) {
    const back = stood instanceof HTMLElement && stood !== document.body && stood.isConnected;
    return void (back ? /** @type {HTMLElement} */ (stood) : byId("tool-discards")).focus({ preventScroll: true });
  }
  stood = document.activeElement;
  renderDiscards(table);
  drawer.querySelector("button")?.focus();
}

/** Where there is room for it, the drawer is open from the beginning if it was left so. */
export function openAsLeft() {
  const open = settings.discards && mode() === "wide";
  byId("drawer").hidden = !open;
  byId("tool-discards").setAttribute("aria-expanded", String(open));
}

/** @param {Table} table */
export function renderDiscards(table) {
  const drawer = byId("drawer");
  if (drawer.hidden || !table.view) return;
  const body = contents(drawer, table);
  drawnOnce(body, drawerOf(/** @type {ShownTable} */ (table)), (shown) => body.replaceChildren(...lists(shown)));
}

/** @typedef {ReturnType<typeof drawerOf>} Drawer */

/**
 * All that the drawer shows.
 *
 * @param {ShownTable} table
 */
function drawerOf({ view, me }) {
  const { deal, seats, table } = view;
  return {
    blind: table.family === "blind",
    discards: deal?.discards ?? [],
    wildRank: deal?.wild_rank ?? null,
    names: seats.map(({ seat, name }) => ({ seat, name })),
    mySeat: me?.seat ?? null,
  };
}

/**
 * What lies under the header. The header stays as it is: a cross that is drawn anew under the finger cannot be pressed.
 *
 * @param {HTMLElement} drawer
 * @param {Table} table
 */
function contents(drawer, table) {
  if (!drawer.firstElementChild) {
    const cross = el(
      "button",
      { class: "tool", type: "button", "aria-label": t("Close"), onclick: () => toggleDiscards(table) },
      icon("close"),
    );
    drawer.replaceChildren(
      el("header", {}, el("h2", { text: t("Discards") }), cross),
      el("div", { class: "drawer-body" }),
    );
  }
  return find(drawer, ".drawer-body");
}

/** @type {(drawer: Drawer) => HTMLElement[]} */
function lists(drawer) {
  const { blind, discards: entries, names } = drawer;
  const fine = (/** @type {string} */ text) => [el("p", { class: "fine", text })];
  const count = plural(entries.length, "card");
  if (blind) {
    return fine(t("Discards lie face down in this game: nobody may look at them. {count} so far.", { count }));
  }
  if (entries.length === 0) return fine(t("Nothing has been discarded in this deal."));
  const owners = [null, ...names.map(({ seat }) => seat)];
  const thrown = owners.map((owner) => ({ owner, entries: entries.filter((one) => one.seat === owner) }));
  return thrown.filter((one) => one.entries.length > 0).map((one) => list(drawer, one.owner, one.entries));
}

/** @type {(drawer: Drawer, owner: number | null, entries: DiscardView[]) => HTMLElement} */
function list(drawer, owner, entries) {
  const name = owner === null ? t("Upcard") : nameOf(drawer, owner, t("You"));
  const head = el("h3", {}, name, el("small", { text: plural(entries.length, "card") }));
  const cards = entries.map((one) => discarded(drawer, one));
  return el("section", {}, head, el("div", { class: "drawer-cards mini" }, ...cards));
}

/** @type {(drawer: Drawer, one: DiscardView) => HTMLElement} */
function discarded(drawer, one) {
  const face = one.card ? cardFace(one.card, { wildRank: drawer.wildRank }) : cardBack();
  if (one.picked_by === undefined) return face;
  const by = nameOf(drawer, one.picked_by, t("you"));
  face.classList.add("is-picked");
  return el("span", { class: "picked", title: t("Picked up by {by}", { by }) }, face, el("small", { text: `↑ ${by}` }));
}

/** @type {(drawer: Drawer, seat: number, you: string) => string} */
function nameOf({ mySeat, names }, seat, you) {
  const name = names.find((one) => one.seat === seat)?.name;
  return seat === mySeat ? you : (name ?? t("Seat {seat}", { seat: seat + 1 }));
}
