// @ts-check
// The whole game by keys. Space and Enter are the buttons' own; everything else is here and in the list behind "?".

import { byId } from "../../shared/dom.js";
import { helpDialog } from "../view/dialogs/menu.js";
import { isOpen } from "../view/dialogs/window.js";
import { toggleDiscards } from "../view/discards.js";

/** @import { Hand } from "../view/hand.js" */
/** @import { Actions } from "./actions.js" */

const WALKS = new Set(["ArrowLeft", "ArrowRight", "Home", "End"]);

/**
 * @param {import("../model/state.js").Store} store
 * @param {Actions} actions
 * @param {Hand} hand
 * @param {import("./drag.js").Drag} drag
 */
export function listen(store, actions, hand, drag) {
  /** @type {Record<string, () => unknown>} */
  const keys = {
    c: () => actions.draw("closed"),
    o: () => actions.draw("open"),
    d: () => actions.discard(),
    f: () => actions.finish(),
    g: () => actions.group(),
    l: () => actions.loosen(),
    s: () => actions.sort(),
    z: () => actions.undo(),
    x: () => (store.table.can("drop") ? actions.drop() : actions.autoDrop()),
    m: () => actions.meld(),
    p: () => toggleDiscards(store.table),
    "?": () => helpDialog(),
  };
  addEventListener("keydown", (event) => {
    if (isOpen()) return;
    if (isUndo(event)) return void actions.undo();
    if (isForOthers(event)) return;
    if (event.key === "Escape") return void (actions.takeBack() || closeOrRelease(store, drag));
    if (WALKS.has(event.key)) return void walk(event, actions, hand);
    const run = keys[event.key.toLowerCase()];
    if (!run || !store.table.view || event.repeat) return;
    event.preventDefault();
    run();
  });
}

/** @param {KeyboardEvent} event */
function isUndo(event) {
  return (event.ctrlKey || event.metaKey) && event.key === "z" && !hit(event).matches("input, textarea, select");
}

/**
 * A shortcut of the browser, or something typed into a field.
 *
 * @param {KeyboardEvent} event
 */
function isForOthers(event) {
  return event.ctrlKey || event.altKey || event.metaKey || hit(event).matches("input, textarea, select");
}

/** @type {(event: KeyboardEvent) => Element} */
const hit = (event) => /** @type {Element} */ (event.target);

/**
 * Escape ends a drag and closes the discards, or else releases the selected cards.
 *
 * @param {import("../model/state.js").Store} store
 * @param {import("./drag.js").Drag} drag
 */
function closeOrRelease(store, drag) {
  drag.cancel();
  if (!byId("drawer").hidden) toggleDiscards(store.table);
  else if (store.table.view) store.own.select([]);
}

/**
 * Home and End lead to the first and the last card.
 *
 * @param {KeyboardEvent} event
 * @param {Hand} hand
 */
function toEdge(event, hand) {
  if (!byId("hand").contains(document.activeElement)) return;
  event.preventDefault();
  hand.focus(hand.order().at(event.key === "Home" ? 0 : -1));
}

/**
 * Arrows walk along the cards; with Shift they carry the card to the group beside it.
 *
 * @param {KeyboardEvent} event
 * @param {Actions} actions
 * @param {Hand} hand
 */
function walk(event, actions, hand) {
  if (event.key === "Home" || event.key === "End") return void toEdge(event, hand);
  if (hit(event).closest(".panel, .drawer")) return;
  const order = hand.order();
  if (order.length === 0) return;
  event.preventDefault();
  const step = event.key === "ArrowRight" ? 1 : -1;
  const inHand = byId("hand").contains(document.activeElement);
  if (event.shiftKey && inHand) {
    const card = hand.focused;
    actions.shift(card, step);
    return void hand.focus(card);
  }
  const outside = step > 0 ? -1 : order.length;
  const here = inHand && hand.focused ? order.indexOf(hand.focused) : outside;
  hand.focus(order[(here + step + order.length) % order.length]);
}
