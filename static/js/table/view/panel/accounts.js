// @ts-check
// The end of a match: who was where, what everybody paid and got, and what the prize was.

import { el } from "../../../shared/dom.js";
import { t } from "../../../shared/language.js";
import { chips, money, signed, totalText } from "../../../shared/words.js";
import { nameOf } from "./shown.js";

/** @import { Panel } from "./shown.js" */
/** @import { AccountView, SeatView } from "../../../shared/types.js" */

/** @param {Panel} panel */
export function accounts(panel) {
  const { accounts: paid, table } = panel;
  if (!paid) {
    const text = table.point_value
      ? t("Every stack is in its player's balance again. A deal that was running does not count.")
      : t("The match was cancelled. What everybody paid for it went back.");
    return el("section", { class: "prompt" }, el("p", { text }));
  }
  const shared = paid.filter((one) => one.amount > 0).length > 1;
  const amount = { prize: chips(table.prize ?? 0, table.money) };
  const prize = shared ? t("The prize was shared: {prize}", amount) : t("Prize: {prize}", amount);
  const lines = ranked(panel, paid).map((seat) => line(panel, seat));
  return el("section", { class: "prompt" }, el("p", { text: prize }), el("ol", { class: "accounts" }, ...lines));
}

/**
 * By what they got; where it is the same, who stayed before who was out and who left, fewer points or more chips first.
 *
 * @param {Panel} panel
 * @param {AccountView[]} paid
 */
function ranked({ seats, table }, paid) {
  /** @type {(seat: SeatView) => number} */
  const gone = (seat) => ["out", "left"].indexOf(seat.status);
  /** @type {(seat: SeatView) => number} */
  const behind = (seat) => (table.chips_a_deal ? -1 : 1) * (seat.total ?? 0);
  return seats
    .flatMap((seat) => paid.filter((one) => one.seat === seat.seat).map((one) => ({ ...seat, ...one })))
    .sort((one, other) => other.amount - one.amount || gone(one) - gone(other) || behind(one) - behind(other));
}

/**
 * @param {Panel} panel
 * @param {SeatView & AccountView} seat
 */
function line(panel, seat) {
  const unit = panel.table.money;
  return el(
    "li",
    { class: seat.amount > 0 ? "is-winner" : "" },
    el("b", { text: nameOf(panel, seat.seat) }),
    el("span", { text: seat.status === "left" ? t("Left") : totalText(seat.total, panel.table) }),
    el("span", { class: "account-paid", text: t("paid {paid}", { paid: money(seat.paid, unit) }) }),
    el("span", { class: "split-share", text: signed(seat.amount > 0 ? seat.amount : -seat.paid, unit) }),
    seat.why ? el("span", { class: "split-why", text: seat.why }) : null,
  );
}
