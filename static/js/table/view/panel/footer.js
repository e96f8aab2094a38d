// @ts-check
// The panel's buttons: what one may do between deals.

import { el } from "../../dom.js";
import { t } from "../../language.js";
import { toLobby } from "../../parent_page.js";
import { continueText, REMATCH } from "../../words.js";

/** @typedef {import("../../model/state.js").Shown} Shown */
/** @typedef {import("../../input/actions.js").Actions} Actions */

/** @type {(store: Shown, actions: Actions) => HTMLElement[]} */
export function footer(store, actions) {
  const { view } = store;
  if (!store.me || view.phase === "over") return atTheEnd(store, actions);
  const moves = [
    ...(store.can("leave") ? [button("leave", t("Leave"), () => actions.leave())] : []),
    ...(store.can("offer_split") ? [button("split", t("Offer a split"), () => actions.offerSplit())] : []),
  ];
  if (view.phase !== "result" || store.stopped) return moves;
  const go = toContinue(store, actions);
  return [...hint(store), ...(view.table.practice ? [go, ...moves] : [...moves, go])];
}

/** @type {(store: Shown, actions: Actions) => HTMLElement[]} */
function atTheEnd(store, actions) {
  const lobby = () => toLobby(store.view.table.id);
  if (store.view.table.practice) {
    const again = button("again", t("Play again"), () => actions.playAgain(), { main: true });
    return [again, button("lobby", t("Back to the lobby"), lobby)];
  }
  const leave = () => (store.me && store.can("leave") ? actions.leave() : lobby());
  const again = store.rematch ? [button("rematch", REMATCH, () => actions.rematch(), { main: true })] : [];
  return [button("lobby", t("Back to the lobby"), leave, { main: again.length === 0 }), ...again];
}

/** @type {(store: Shown, actions: Actions) => HTMLElement} */
function toContinue(store, actions) {
  const main = store.can("continue");
  const text = main ? continueText(store.view) : t("Waiting for the next deal");
  return button("continue", text, () => actions.continue(), { main, disabled: !main });
}

/** @type {(store: Shown) => HTMLElement[]} */
function hint(store) {
  const { practice, point_value: perPoint } = store.view.table;
  if (!store.can("continue") || !(practice || perPoint)) return [];
  const text = practice ? t("The table waits for you.") : t("Continue keeps your seat for the next deal.");
  return [el("p", { class: "panel-hint", text })];
}

/**
 * @param {string} id
 * @param {string} text
 * @param {() => unknown} onclick
 * @param {{main?: boolean, disabled?: boolean}} [look]
 */
function button(id, text, onclick, { main = false, disabled = false } = {}) {
  return el(
    "button",
    { class: `act${main ? " is-main" : ""}`, id: `panel-${id}`, type: "button", disabled, onclick },
    text,
  );
}
