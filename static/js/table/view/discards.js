// @ts-check
// The drawer with the discards of the deal, by player, in the order in which they were thrown.

import { byId, el, find, icon } from "../dom.js";
import { t } from "../language.js";
import { mode } from "../modes.js";
import { change, settings } from "../settings.js";
import { plural } from "../words.js";
import { cardBack, cardFace } from "./cards.js";

/** @typedef {import("../model/state.js").Store} Store */
/** @typedef {import("../model/state.js").Shown} Shown */
/** @typedef {import("../types.js").DealView} DealView */
/** @typedef {import("../types.js").DiscardView} DiscardView */

/** @param {Store} store */
export function toggleDiscards(store) {
  const drawer = byId("drawer");
  drawer.hidden = !drawer.hidden;
  byId("tool-discards").setAttribute("aria-expanded", String(!drawer.hidden));
  change("discards", !drawer.hidden);
  if (drawer.hidden) return void byId("tool-discards").focus();
  drawer.dataset.signature = "";
  renderDiscards(store);
  drawer.querySelector("button")?.focus();
}

/** Where there is room for it, the drawer is open from the beginning if it was left so. */
export function openAsLeft() {
  const open = settings.discards && mode() === "wide";
  byId("drawer").hidden = !open;
  byId("tool-discards").setAttribute("aria-expanded", String(open));
}

/** @param {Store} store */
export function renderDiscards(store) {
  const drawer = byId("drawer");
  if (drawer.hidden || !store.view) return;
  const shown = /** @type {Shown} */ (store);
  const { deal } = shown.view;
  const signature = JSON.stringify([deal?.discards, store.view.seats.map((seat) => seat.name)]);
  if (drawer.dataset.signature === signature) return;
  drawer.dataset.signature = signature;
  contents(drawer, store).replaceChildren(...lists(shown, deal));
}

/**
 * What lies under the header. The header stays as it is: a cross that is drawn anew under the finger cannot be pressed.
 *
 * @param {HTMLElement} drawer
 * @param {Store} store
 */
function contents(drawer, store) {
  if (!drawer.firstElementChild) {
    const cross = el(
      "button",
      { class: "tool", type: "button", "aria-label": t("Close"), onclick: () => toggleDiscards(store) },
      icon("close"),
    );
    drawer.replaceChildren(
      el("header", {}, el("h2", { text: t("Discards") }), cross),
      el("div", { class: "drawer-body" }),
    );
  }
  return find(drawer, ".drawer-body");
}

/** @type {(store: Shown, deal: DealView | null) => HTMLElement[]} */
function lists(store, deal) {
  const { table, seats } = store.view;
  const entries = deal?.discards ?? [];
  const fine = (/** @type {string} */ text) => [el("p", { class: "fine", text })];
  const count = plural(entries.length, "card");
  if (table.family === "blind") {
    return fine(t("Discards lie face down in this game: nobody may look at them. {count} so far.", { count }));
  }
  if (!deal || entries.length === 0) return fine(t("Nothing has been discarded in this deal."));
  const owners = [null, ...seats.map((seat) => seat.seat)];
  const thrown = owners.map((owner) => ({ owner, entries: entries.filter((one) => one.seat === owner) }));
  return thrown.filter((one) => one.entries.length > 0).map((one) => list(store, deal, one.owner, one.entries));
}

/** @type {(store: Shown, deal: DealView, owner: number | null, entries: DiscardView[]) => HTMLElement} */
function list(store, deal, owner, entries) {
  const name = owner === null ? t("Upcard") : nameOf(store, owner, t("You"));
  const head = el("h3", {}, name, el("small", { text: plural(entries.length, "card") }));
  const cards = entries.map((one) => discarded(store, deal, one));
  return el("section", {}, head, el("div", { class: "drawer-cards mini" }, ...cards));
}

/** @type {(store: Shown, deal: DealView, one: DiscardView) => HTMLElement} */
function discarded(store, deal, one) {
  const face = one.card ? cardFace(one.card, { wildRank: deal.wild_rank }) : cardBack();
  if (one.picked_by === undefined) return face;
  const by = nameOf(store, one.picked_by, t("you"));
  face.classList.add("is-picked");
  return el("span", { class: "picked", title: t("Picked up by {by}", { by }) }, face, el("small", { text: `↑ ${by}` }));
}

/** @type {(store: Shown, seat: number, you: string) => string} */
function nameOf(store, seat, you) {
  return seat === store.me?.seat ? you : (store.seat(seat)?.name ?? t("Seat {seat}", { seat: seat + 1 }));
}
