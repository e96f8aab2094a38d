// @ts-check
// The end of a match: who was where, what everybody paid and got, and what the prize was.

import { el } from "../../dom.js";
import { t } from "../../language.js";
import { chips, money, plural } from "../../words.js";
import { nameOf } from "./names.js";

/** @typedef {import("../../model/state.js").Shown} Shown */
/** @typedef {import("../../types.js").AccountView} AccountView */
/** @typedef {import("../../types.js").SeatView} SeatView */

/** @param {Shown} store */
export function accounts(store) {
  const { accounts: paid, table } = store.view;
  if (!paid) {
    const text = t("The match was cancelled. What everybody paid for it went back.");
    return el("section", { class: "prompt" }, el("p", { text }));
  }
  const shared = paid.filter((one) => one.amount > 0).length > 1;
  const prize = `${shared ? "The prize was shared" : "Prize"}: ${chips(table.prize ?? 0, table.money)}`;
  const lines = ranked(store, paid).map((seat) => line(store, seat, table));
  return el("section", { class: "prompt" }, el("p", { text: prize }), el("ol", { class: "accounts" }, ...lines));
}

/**
 * By what they got; where it is the same, who stayed before who left, fewer points first.
 *
 * @param {Shown} store
 * @param {AccountView[]} paid
 */
function ranked(store, paid) {
  /** @type {(seat: SeatView) => number} */
  const left = (seat) => Number(seat.status === "left");
  return store.view.seats
    .flatMap((seat) => paid.filter((one) => one.seat === seat.seat).map((one) => ({ ...seat, ...one })))
    .sort(
      (one, other) => other.amount - one.amount || left(one) - left(other) || (one.total ?? 0) - (other.total ?? 0),
    );
}

/**
 * @param {Shown} store
 * @param {SeatView & AccountView} seat
 * @param {import("../../types.js").TableView} table
 */
function line(store, seat, { money: unit }) {
  return el(
    "li",
    { class: seat.amount > 0 ? "is-winner" : "" },
    el("b", { text: nameOf(store, seat.seat) }),
    el("span", { text: seat.status === "left" ? t("Left") : plural(seat.total ?? 0, "point") }),
    el("span", { class: "account-paid", text: t("paid {paid}", { paid: money(seat.paid, unit) }) }),
    el("span", { class: "split-share", text: seat.amount > 0 ? `+${money(seat.amount, unit)}` : "–" }),
    seat.why ? el("span", { class: "split-why", text: seat.why }) : null,
  );
}
