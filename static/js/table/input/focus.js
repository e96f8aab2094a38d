// @ts-check
// Where the keyboard stands after an act: on what comes next, and never away from what somebody is using.

import { byId } from "../../shared/dom.js";
import { find } from "../../shared/query.js";
import { isOpen } from "../view/dialogs/window.js";

/** @import { Hand } from "../view/hand.js" */
/** @import { TableEvent } from "../../shared/types.js" */

/** Focus is nowhere, or on something that cannot be used any more. */
function isLost() {
  const here = document.activeElement;
  if (isOpen()) return false;
  if (!here || here === document.body || here.matches(":disabled")) return true;
  return here.checkVisibility?.({ visibilityProperty: true }) === false;
}

/** Focus is lost, or where the cards are: what comes next may have it. */
const isFree = () =>
  isLost() || (!isOpen() && ["hand", "piles", "actions"].some((id) => byId(id).contains(document.activeElement)));

/**
 * What the page shows now, for `follow` to know what has come with the next view.
 *
 * @typedef {{order: import("../../shared/types.js").Card[], melding: boolean, panel: boolean, keys: boolean}} Stand
 * @type {(hand: Hand) => Stand}
 */
export const stand = (hand) => ({
  order: hand.drawn,
  keys: document.activeElement?.matches(":focus-visible") ?? false,
  melding: document.body.classList.contains("is-melding"),
  panel: !byId("panel").hidden,
});

/**
 * Moves the focus to the next act: result, boxes, the card beside the discarded one, the drawn card, the deck. Where
 * what the keyboard stood on went dead or away by its own press, it comes back to the cards.
 *
 * @param {import("../model/table.js").ShownTable} table
 * @param {Hand} hand
 * @param {Stand} before
 * @param {TableEvent[]} events that came with what was drawn
 */
export function follow(table, hand, before, events) {
  const panel = !byId("panel").hidden;
  const melding = document.body.classList.contains("is-melding");
  if (panel && !before.panel) return void (isFree() && toPanel());
  if (melding && !before.melding) return void (isFree() && toBoxes(hand));
  if (!isLost()) return;
  /** @param {string} type */
  const own = (type) =>
    events.find((event) => event.type === type && event.seat === table.me?.seat && event.by !== "platform");
  const [discarded, drawn] = [own("card_discarded"), own("card_drawn")];
  if (drawn?.card) hand.focus(drawn.card);
  else if (discarded?.card) hand.focus(beside(discarded.card, before.order, hand.order()));
  else if (own("turn_began") && table.can("draw")) byId("closed").focus({ preventScroll: true });
  else if (events.some((event) => event.type === "cards_dealt")) hand.focus(hand.order()[0]);
  else if (before.keys) toRest(hand);
}

/**
 * The panel while one is open; the card where the keyboard was last while there are cards to lay; or else the first act.
 *
 * @param {Hand} hand
 */
function toRest(hand) {
  if (!byId("panel").hidden) return void toPanel();
  const playing = ["playing", "melding"].includes(document.body.dataset.phase ?? "");
  if (playing && hand.order().length > 0) return void hand.focus(hand.focused);
  /** @type {HTMLElement | null} */
  const act = byId("actions").querySelector("button:not(:disabled)");
  (act ?? byId("tool-menu")).focus({ preventScroll: true });
}

function toPanel() {
  /** @type {HTMLElement | null} */
  const go = byId("panel").querySelector("#panel-continue:not(:disabled)");
  (go ?? find(byId("panel"), ".panel-body")).focus({ preventScroll: true });
}

/**
 * The first box that holds a group; where all are empty, the first card.
 *
 * @param {Hand} hand
 */
function toBoxes(hand) {
  /** @type {HTMLElement | null} */
  const first = byId("hand").querySelector(".tray.is-boxed .tray-label");
  if (first) first.focus({ preventScroll: true });
  else hand.focus(hand.order()[0]);
}

/**
 * The card that has come to where the gone one was, or else the one before it.
 *
 * @param {import("../../shared/types.js").Card} card
 * @param {import("../../shared/types.js").Card[]} before
 * @param {import("../../shared/types.js").Card[]} now
 */
export function beside(card, before, now) {
  const place = before.indexOf(card);
  return (
    before.slice(place + 1).find((one) => now.includes(one)) ??
    before.slice(0, place).findLast((one) => now.includes(one)) ??
    now[0]
  );
}
