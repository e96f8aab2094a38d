// The whole game by keys. Space and Enter are the buttons' own; everything else is here and in the list behind "?".

import { byId } from "../dom.js";
import { helpDialog, isOpen } from "../view/dialogs.js";
import { toggleDiscards } from "../view/discards.js";

export function listen(store, actions, hand, drag) {
  const keys = {
    c: () => actions.draw("closed"),
    o: () => actions.draw("open"),
    d: () => actions.discard(),
    f: () => actions.finish(),
    g: () => actions.group(),
    l: () => actions.loosen(),
    s: () => actions.sort(),
    x: () => (store.can("drop") ? actions.drop() : actions.autoDrop()),
    m: () => actions.meld(),
    p: () => toggleDiscards(store),
    "?": () => helpDialog(),
  };
  addEventListener("keydown", (event) => {
    if (isOpen() || event.ctrlKey || event.altKey || event.metaKey || event.target.matches("input, textarea, select"))
      return;
    if (event.key === "Escape") return closeOrRelease(store, drag);
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") return arrow(event, actions, hand);
    const run = keys[event.key.toLowerCase()];
    if (!run || !store.view || event.repeat) return;
    event.preventDefault();
    run();
  });
}

/** Escape ends a drag and closes the discards, or else releases the selected cards. */
function closeOrRelease(store, drag) {
  drag.cancel();
  if (!byId("drawer").hidden) toggleDiscards(store);
  else if (store.view) store.select([]);
}

/** Arrows walk along the cards; with Shift they carry the card to the group beside it. */
function arrow(event, actions, hand) {
  if (event.target.closest(".panel, .drawer")) return;
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
  const here = inHand ? order.indexOf(hand.focused) : step > 0 ? -1 : order.length;
  hand.focus(order[(here + step + order.length) % order.length]);
}
