// @ts-check
// The panel's buttons: what one may do between deals.

import { addressOf, el, pageData } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { continueText, needsText, REMATCH } from "../../../shared/words.js";
import { go as goTo, toLobby } from "../../parent_page.js";
import { can } from "./shown.js";

/** @import { Panel } from "./shown.js" */
/** @import { Actions } from "../../input/actions.js" */

/** @type {(panel: Panel, actions: Actions) => HTMLElement[]} */
export function footer(panel, actions) {
  const { phase, table, mySeat, stopped, out } = panel;
  if (document.body.dataset.series && (out || ENDS.has(phase))) return [toSeries(actions)];
  if (out) return withoutSeat(panel, actions);
  if (mySeat === null || phase === "over") return atTheEnd(panel, actions);
  const moves = [
    ...(can(panel, "leave") ? [button("leave", t("Leave"), () => actions.leave())] : []),
    ...(can(panel, "offer_split") ? [button("split", t("Offer a split"), () => actions.offerSplit())] : []),
  ];
  if (phase !== "result" || stopped) return moves;
  const go = toContinue(panel, actions);
  return [...hint(panel), ...(table.practice ? [go, ...moves] : [...moves, go])];
}

const ENDS = new Set(["result", "over"]);

/** @type {(actions: Actions) => HTMLElement} From a deal that others play with the same cards: no other follows here. */
const toSeries = (actions) => button("series", t("See the places"), () => actions.toSeries(), { main: true });

/** @type {(panel: Panel, actions: Actions) => HTMLElement[]} */
function withoutSeat({ table, seatIsFree }, actions) {
  const on = button("look-on", t("Keep watching"), () => actions.lookOn());
  if (table.practice) return [on, button("again", t("Play again"), () => actions.playAgain(), { main: true })];
  const ways = [button("lobby", t("To the lobby"), () => toLobby(table.id), { main: !seatIsFree }), on];
  return seatIsFree ? [...ways, button("sit", t("Sit down again"), () => actions.sitAgain(), { main: true })] : ways;
}

/**
 * To the review of a deal, in a window of its own: nobody leaves a running table for it.
 *
 * @param {import("../../../shared/types.js").DealId} deal
 */
export function lookLink(deal) {
  const href = addressOf("deal", deal);
  const link = el("a", { class: "look-at-deal", href, target: "_blank", rel: "noopener" }, t("Look at this deal"));
  return el("p", { class: "fine" }, link);
}

/** @type {(deal: import("../../../shared/types.js").DealId) => HTMLElement[]} What one may do about the deal just played. */
export function afterDeal(deal) {
  const signUp = pageData("signup");
  const keep = { class: "keep-this", href: signUp, text: t("Keep this: choose a name") };
  return signUp ? [lookLink(deal), el("p", { class: "fine" }, el("a", keep))] : [lookLink(deal)];
}

/** @type {(panel: Panel, actions: Actions) => HTMLElement[]} */
function atTheEnd(panel, actions) {
  const { table, rematch } = panel;
  const lobby = () => toLobby(table.id);
  if (table.tournament) {
    const { id } = table.tournament;
    return [button("tournament", t("To the tournament"), () => goTo(addressOf("tournamentPage", id)), { main: true })];
  }
  if (table.practice) {
    const again = button("again", t("Play again"), () => actions.playAgain(), { main: true });
    return [again, button("lobby", t("Back to the lobby"), lobby)];
  }
  const leave = () => (can(panel, "leave") ? actions.leave() : lobby());
  const again = rematch ? [button("rematch", REMATCH, () => actions.rematch(), { main: true })] : [];
  return [button("lobby", t("Back to the lobby"), leave, { main: again.length === 0 }), ...again];
}

/** @type {(panel: Panel, actions: Actions) => HTMLElement} */
function toContinue(panel, actions) {
  const main = can(panel, "continue");
  // Where another window plays the seat, or the line is lost, nothing is done here, and it is waited for all the same.
  const text = panel.awaitsContinue ? continueText(panel) : t("Waiting for the next deal");
  return button("continue", text, () => actions.continue(), { main, disabled: !main });
}

/** @type {(panel: Panel) => HTMLElement[]} */
function hint(panel) {
  const { practice, point_value: perPoint, minimum, money } = panel.table;
  const stack = panel.seats.find(({ seat }) => seat === panel.mySeat)?.stack ?? 0;
  if (can(panel, "add_chips") && minimum && stack < minimum)
    return [el("p", { class: "panel-hint", text: needsText(stack, minimum, money) })];
  if (!can(panel, "continue") || !(practice || perPoint)) return [];
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
